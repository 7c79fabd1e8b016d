// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

/// Functions that write texts of results as GitHub-flavoured Markdown, so that no text is markup.
namespace parity::reports::markdown {

/// Returns one line without Markdown or HTML.
std::string plain(const std::string& text, size_t longest = 600);

/// Returns a code span that also works in a table. It is HTML, since backticks and bars inside would end a
/// Markdown span.
std::string code(const std::string& text);

/// Returns one line for an HTML element that begins a line, such as <summary>, inside which Markdown is not
/// parsed.
std::string html(const std::string& text, size_t longest = 600);

/// Returns a fenced block; the fence is longer than any run of backticks inside.
std::string block(const std::string& text);

}  // namespace parity::reports::markdown
