// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reports/search/record.hpp"

namespace parity::reports {

/// A table: rows below headings.
struct FactTable {
  std::string title;
  std::vector<std::string> heads;
  std::vector<std::vector<std::string>> rows;
  bool folded = false;  ///< long, and shown on request
};

using Fact = std::pair<std::string, std::string>;

/// Returns the single facts of a stage: the place of the element, its values, the measurements.
/// \throws UserError naming the member of its details that has the wrong type
std::vector<Fact> facts_of(const Stage& stage, const Search& search);

/// Returns the lists of a stage: keys in which configs differ, tensors of an update, trials, tested commits.
/// \throws UserError as facts_of
std::vector<FactTable> tables_of(const Stage& stage, const Search& search);

/// Returns the keys or commits that cause the difference, largest first; no rows for other kinds of search.
/// \throws UserError as facts_of
FactTable culprits_of(const Search& search);

}  // namespace parity::reports
