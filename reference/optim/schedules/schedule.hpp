// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "reference/config/run_config.hpp"

namespace parity::reference {

/// A learning-rate curve.
struct Schedule {
  /// Factor on lr.base for update index c, counted from 0: optimizer update c + 1 uses factor(c).
  std::function<double(int64_t c)> factor;
  /// Adjustments that were made to the config's numbers, one sentence each.
  std::vector<std::string> warnings;
};

/// The schedule that a config names. \param steps  length of the curve where lr.total_steps is 0
Schedule make_schedule(const LrConfig& lr, int64_t steps);

/// Python's round(): halves go to the even neighbour. \param value  at least 0
int64_t round_half_to_even(double value);

}  // namespace parity::reference
