// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace parity::logs {

/// 2^53: float64 holds every integer below it.
inline constexpr double largest_exact = 9007199254740992.0;

/// Returns a text without the blanks and carriage returns around it.
std::string_view trimmed(std::string_view text);

/// Returns the float64 nearest to a decimal, or nan, inf, -inf and their other spellings; nothing for other
/// text. Spaces around it are ignored, and commas between groups of three digits too: "1,048,576".
std::optional<double> parse_number(std::string_view text);

/// Returns the number in front of a percent sign, "93.1%" or "93.1 %"; nothing for other text.
std::optional<double> parse_percent(std::string_view text);

/// Returns whether a text says that a value is missing: it is empty, NA, None, null or a dash.
bool is_blank(std::string_view text);

/// Returns whether the text is an integer that float64 does not hold exactly.
bool is_inexact_integer(std::string_view text);

/// Returns a value as a step number; nothing if it is negative, not whole or beyond 2^53.
std::optional<int64_t> step_of(double value);

}  // namespace parity::logs
