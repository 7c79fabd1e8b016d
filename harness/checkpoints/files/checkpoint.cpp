// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/checkpoints/files/checkpoint.hpp"

#include <fmt/format.h>

#include "harness/base/text/escape_for_terminal.hpp"

namespace parity::checkpoints {

std::string Checkpoint::text() const {
  int64_t elements = 0;
  for (const auto& [name, tensor] : tensors)
    elements += tensor.size();
  return fmt::format("{}: {}, {} tensor{}, {} elements", escape_to_line(path), format, tensors.size(),
                     tensors.size() == 1 ? "" : "s", elements);
}

}  // namespace parity::checkpoints
