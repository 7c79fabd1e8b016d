// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "harness/base/json/json.hpp"
#include "harness/base/text/escape_for_terminal.hpp"

/// Words and numbers that every renderer shares, before any of them escapes for its own format.
namespace parity::reports {

/// Returns escape_for_terminal(text) with newlines and tabs as spaces.
std::string one_line(std::string_view text);

/// Returns at most `width` characters: the middle is replaced by "...". Counts code points. one_line() first.
std::string shorten(std::string_view text, size_t width);

/// Returns the number of code points of UTF-8 text.
size_t width_of(std::string_view text);

/// Returns the fewest digits that restore the double: 0.1, 2.5e-7, nan. Both values of a failure have this
/// form.
std::string exact(const Json& scalar);

/// Returns four significant digits; integers and words unchanged.
std::string brief(const Json& scalar);
std::string brief(double number);

/// Returns "85 ms", "4.2 s", "2 min 5 s".
std::string duration(double seconds);

/// Returns "1 check", "2 checks"; "2 quantities" if the plural is given.
std::string count(size_t number, const std::string& noun, const std::string& plural = "");

}  // namespace parity::reports
