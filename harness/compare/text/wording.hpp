// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/base/json/json.hpp"
#include "harness/base/json/number.hpp"

namespace parity::compare {

/// Functions that format numbers and steps for sentences and results.

/// Returns the shortest decimal that reads back as the same float64, or as the same float32 if `as_float32`.
std::string number_text(double value, bool as_float32 = false);

/// Returns two significant digits, "6.3e-08". For gaps and ratios, of which only the size matters.
std::string size_text(double value);

/// Largest number of ULPs that a sentence states; beyond it the relative gap is clearer.
constexpr uint64_t most_ulps_shown = 10'000;

/// Returns a number of ULPs for a table: in full below 10,000,000, else its size; "-" for
/// measure::Difference::no_ulp.
std::string ulp_text(uint64_t ulps);

/// Returns "2^29.3" for a ratio given as its base-2 logarithm; "2^inf" if the divisor is 0.
std::string power_text(double log2_ratio);

/// Returns "step 3", "steps 1-10" or "steps 1, 5, 10" (at most 6 steps, then a count).
std::string steps_text(const std::vector<int64_t>& steps);

/// Returns "at step 3" or "over steps 1-10".
std::string over_text(const std::vector<int64_t>& steps);

/// Returns "lr", "lr and loss" or "lr, loss and grad_norm".
std::string list_text(const std::vector<std::string>& names);

/// Returns "1 tensor" or "3 tensors".
std::string count_text(size_t count, const std::string& what);

}  // namespace parity::compare
