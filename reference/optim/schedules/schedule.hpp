// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "reference/config/run_config.hpp"

namespace parity::reference {

/// What an optimizer is told at each update.
struct Schedule {
  /// Learning rate of update index c, counted from 0: optimizer update c + 1 uses lr(c). Each family computes
  /// it in the order of operations of the library it comes from, so that the bits are that library's.
  std::function<double(int64_t c)> lr;
  /// Weight decay of update index c. Empty where it does not move: optimizer.weight_decay then.
  std::function<double(int64_t c)> weight_decay;
  /// What the family made of the config's numbers or finds wrong with them, one sentence each.
  std::vector<std::string> warnings;
};

/// The schedule that a config names. \param config  validated
Schedule make_schedule(const RunConfig& config);

/// Python's round(): halves go to the even neighbour. \param value  at least 0
int64_t round_half_to_even(double value);

}  // namespace parity::reference
