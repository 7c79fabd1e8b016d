// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

/// Texts of results as GitHub-flavoured Markdown in which nothing of them is markup.
namespace parity::reports::markdown {

/// One line in which nothing is Markdown or HTML.
std::string plain(const std::string& text, size_t longest = 600);

/// A code span that also holds in a table: HTML, since backticks and bars inside end a Markdown one.
std::string code(const std::string& text);

/// One line for an HTML element that begins a line, such as <summary>: inside it Markdown is not read.
std::string html(const std::string& text, size_t longest = 600);

/// A fenced block; the fence is longer than any run of backticks inside.
std::string block(const std::string& text);

}  // namespace parity::reports::markdown
