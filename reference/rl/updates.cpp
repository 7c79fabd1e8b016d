// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/rl/updates.hpp"

#include <memory>

#include "reference/rl/controller.hpp"
#include "reference/train/step/trainer.hpp"

namespace parity::reference {

Updates updates_from_rollouts(Trainer& trainer) {
  if (trainer.config().data.source != DataSource::rollouts)
    return {};
  const auto controller = std::make_shared<Controller>(trainer);
  return [controller] { return controller->update(); };
}

}  // namespace parity::reference
