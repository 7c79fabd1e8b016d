// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace parity::reports {

/// One word of the project and its meaning, as HTML: code is kept, everything else is escaped.
struct Word {
  std::string word, meaning;
};

/// Reads the tables `| word | meaning |` of a Markdown text for the page's glossary.
///
/// Code between backticks becomes <code>. Links become their text, because the page cannot link to anything.
std::vector<Word> glossary(std::string_view markdown);

}  // namespace parity::reports
