// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reports/search/record.hpp"

namespace parity::reports {

/// Rows under heads.
struct FactTable {
  std::string title;
  std::vector<std::string> heads;
  std::vector<std::vector<std::string>> rows;
  bool folded = false;  ///< long, and shown when asked for
};

using Fact = std::pair<std::string, std::string>;

/// Single numbers of a stage: where the element lies, what stands there, what was measured.
/// \throws UserError naming the member of its details that is of another type than it should be
std::vector<Fact> facts_of(const Stage& stage, const Search& search);

/// What a stage lists: keys in which configs differ, the tensors of an update, what was tried, which commits
/// were asked. \throws UserError as facts_of
std::vector<FactTable> tables_of(const Stage& stage, const Search& search);

/// What carries the difference, biggest first: keys or commits; no rows for other kinds of search.
/// \throws UserError as facts_of
FactTable culprits_of(const Search& search);

}  // namespace parity::reports
