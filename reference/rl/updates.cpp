// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/rl/updates.hpp"

#include <memory>

#include "reference/rl/controller.hpp"
#include "reference/rl/serving/serving_rank.hpp"
#include "reference/train/step/trainer.hpp"

namespace parity::reference {
namespace {

Updates updates_from_rollouts(Trainer& trainer, const GroupPointer& all) {
  if (trainer.config().data.source != DataSource::rollouts)
    return {};
  const auto controller = std::make_shared<Controller>(trainer, all);
  return [controller] { return controller->update(); };
}

}  // namespace

Drivers rollout_drivers() {
  return {updates_from_rollouts, serve_policy};
}

}  // namespace parity::reference
