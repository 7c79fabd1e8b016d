// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace parity {

/// Bytes of the valid UTF-8 character at `at` (no overlong form, no surrogate); 0 if there is none.
size_t utf8_length(std::string_view text, size_t at);

bool is_utf8(std::string_view text);

/// Text that a terminal, a file or a page may show, whoever wrote it. What would act instead of being read is
/// spelled out: control characters other than newline and tab, C1 controls and direction overrides as
/// <U+001B>, bytes that are no UTF-8 as <0xFF>.
std::string visible(std::string_view text);

/// The same, on one line, of at most `most` bytes: "a long na... (4000 bytes)".
std::string visible_name(std::string_view text, size_t most = 200);

/// 'NAME', as visible_name shows it.
std::string quoted(std::string_view name);

}  // namespace parity
