// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "reports/model/case.hpp"

namespace parity::reports {

/// Position of a check in its case -> the HTML that is shown when it is opened.
using CheckDetails = std::map<size_t, std::string>;

/// Stores repeated texts (names of tensors, keys of configs) once each; the data refers to them by number.
class Texts {
 public:
  size_t number(const std::string& text) {
    const auto [known, is_new] = numbers_.try_emplace(text, list_.size());
    if (is_new)
      list_.push_back(&known->first);
    return known->second;
  }
  /// By number. Not owned.
  const std::vector<const std::string*>& list() const { return list_; }

 private:
  std::unordered_map<std::string, size_t> numbers_;
  std::vector<const std::string*> list_;
};

/// Returns the data of a case for the page's script, as JSON that is safe inside a <script> element ("<" is
/// escaped). The page has one such element for each case, in its own order, so that its script parses a case
/// when it is opened, and one with the list of texts:
///
///     {"reference": 0, "arms": ["a", "b"],
///        "curves": [{"channel", "steps": [..], "series": [[arm, [values]]], "gap", "golden", "floor",
///                    "bounds": [{"arms": [0, 1], "label", "to_reference", "words", "gap", "floor",
///                    "limit"}]}],
///        "runs": [[["Provenance", [[key, value], ..]], ..] of each arm],
///        "masks": [{"arms", "first_token", "documents"}],
///        "golden": [[quantity, sides, sentence] of each quiet check],
///        "tensors": {check: {"metrics": [..], "rows": [[name, step, phase, identical, metric ..], ..]}},
///        "details": {check: HTML, escaped already},
///        "pictures": {check: {"rows", "columns", "row_starts", "column_starts", "estimated", "cells"}}}
///
/// Arms are referred to by number, as are names, phases, keys and values (in texts). Values are numbers,
/// null, or "nan", "inf", "-inf". A row of an identical tensor ends after its phase if its metrics are all 0.
///
/// \param details  as CaseSection gives them
std::string page_data(const Case& item, const CheckDetails& details, Texts& texts);

/// Returns JSON that is safe inside a <script> element.
std::string script_json(const Json& json);

}  // namespace parity::reports
