// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace parity::reports {

/// One word of the project and what it means, as HTML: code is kept, and all else is escaped.
struct Word {
  std::string word, meaning;
};

/// Reads the tables `| word | meaning |` of a Markdown text for the page's list of words.
///
/// Code between backticks becomes <code>. Of a link its text is kept: the page has nowhere to lead to.
std::vector<Word> glossary(std::string_view markdown);

}  // namespace parity::reports
