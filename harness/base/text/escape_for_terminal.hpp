// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace parity {

/// Returns the length of the valid UTF-8 character at `at` [bytes] (no overlong form, no surrogate); 0 if
/// there is none.
size_t utf8_length(std::string_view text, size_t at);

/// Returns whether the whole text is valid UTF-8.
bool is_utf8(std::string_view text);

/// Returns untrusted text in a form that is safe on a terminal, in a file and on a page. Control characters
/// other than newline and tab, C1 controls and direction overrides become <U+001B>; bytes that are not UTF-8
/// become <0xFF>.
std::string escape_for_terminal(std::string_view text);

/// Returns escape_for_terminal(text) on one line, of at most `most` bytes: "a long na... (4000 bytes)".
std::string escape_to_line(std::string_view text, size_t most = 200);

/// Returns escape_to_line(name) in single quotes.
std::string quoted(std::string_view name);

}  // namespace parity
