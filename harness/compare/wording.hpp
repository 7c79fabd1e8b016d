// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/base/json.hpp"

namespace parity {

/// How numbers and steps stand in sentences and results.

/// Shortest decimal that reads back as the same float64, or as the same float32 where `as_float32`.
std::string number_text(double value, bool as_float32 = false);

/// Two significant digits: "6.3e-08". For gaps and ratios, where the size matters and not the digits.
std::string size_text(double value);

/// Beyond so many ULPs a sentence does not count them: the relative gap says it better.
constexpr uint64_t most_ulps_shown = 10'000;

/// "2^29.3" for a ratio given as its base-2 logarithm; "2^inf" where the divisor is 0.
std::string power_text(double log2_ratio);

/// "step 3", "steps 1-10" or "steps 1, 5, 10" (at most 6 named, then a count).
std::string steps_text(const std::vector<int64_t>& steps);

/// "at step 3", "over steps 1-10".
std::string over_text(const std::vector<int64_t>& steps);

/// "lr", "lr and loss", "lr, loss and grad_norm".
std::string list_text(const std::vector<std::string>& names);

/// "1 tensor", "3 tensors".
std::string count_text(size_t count, const std::string& what);

/// A JSON number; "nan", "inf" or "-inf" where JSON has none.
Json json_number(double value);

/// The inverse of json_number; NaN for anything else.
double number_of(const Json& json);

}  // namespace parity
