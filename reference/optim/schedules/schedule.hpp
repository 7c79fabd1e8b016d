// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "reference/config/run_config.hpp"

namespace parity::reference {

/// Computes the learning rate and the weight decay of each update.
struct Schedule {
  /// Returns the learning rate of update index c, counted from 0: optimizer update c + 1 uses lr(c). Each
  /// family keeps its library's order of operations, so that it has that library's bits.
  std::function<double(int64_t c)> lr;
  /// Returns the weight decay of update index c. Empty if it is constant: optimizer.weight_decay then holds.
  std::function<double(int64_t c)> weight_decay;
  /// Sentences about the config's numbers that the family adjusted or considers wrong.
  std::vector<std::string> warnings;
};

/// Returns the schedule that a config names. \param config  validated
Schedule make_schedule(const RunConfig& config);

/// Rounds as Python's round() does: halves go to the even neighbour. \param value  at least 0
int64_t round_half_to_even(double value);

}  // namespace parity::reference
