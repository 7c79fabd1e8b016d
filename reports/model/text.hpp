// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "harness/base/json/json.hpp"
#include "harness/base/text/escape_for_terminal.hpp"

/// Words and numbers that every renderer shares, before any of them escapes for its own format.
namespace parity::reports {

/// escape_for_terminal(), and newlines and tabs as a space.
std::string one_line(std::string_view text);

/// At most `width` characters: the middle replaced by "...". Counts code points. one_line() first.
std::string shorten(std::string_view text, size_t width);

/// Code points of UTF-8 text.
size_t width_of(std::string_view text);

/// Fewest digits that give the double back: 0.1, 2.5e-7, nan. Both values of a failure are shown so.
std::string exact(const Json& scalar);

/// Four significant digits; integers and words as they are.
std::string brief(const Json& scalar);
std::string brief(double number);

/// "85 ms", "4.2 s", "2 min 5 s".
std::string duration(double seconds);

/// "1 check", "2 checks"; "2 quantities" where the plural is given.
std::string count(size_t number, const std::string& noun, const std::string& plural = "");

}  // namespace parity::reports
