// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "harness/base/files/spool.hpp"
#include "harness/base/json/json.hpp"
#include "harness/results/case.hpp"

namespace parity::suite {

/// Returns what distinguishes the rows of cases: the name, and the `--set` arguments that changed the case.
std::string row_key(const results::Case& item);

/// A case as results.json has it.
struct ResultsRow {
  std::string key;   ///< of row_key(); "" for a finding about all goldens, which belongs to no case
  std::string text;  ///< JSON, indented as an item of `cases`
};

/// Returns the row of a case.
ResultsRow row_of(const results::Case& item);

/// Writes results.json (schema parity.results/2) piece by piece: each case once, then the members about all
/// cases. An added case is on disk and no longer in memory.
class ResultsWriter {
 public:
  /// \throws UserError if its folder cannot be written to
  explicit ResultsWriter(std::filesystem::path file);

  /// Adds a case. Cases may be added in any order.
  /// \param place  index among the cases
  /// \throws UserError if the disk is full
  void add(size_t place, const ResultsRow& row);
  void add(size_t place, const results::Case& item) { add(place, row_of(item)); }
  /// Returns the row keys of the added cases. Findings about all goldens are no rows of a case.
  const std::set<std::string>& rows() const { return rows_; }
  /// Writes the file: cases by index, then the other members, `rest`, and `rows`.
  /// \throws UserError if the disk is full
  void finish(Json rest);

 private:
  std::filesystem::path file_;
  Spool cases_;
  std::set<std::string> rows_;
  std::map<size_t, size_t> pieces_;  ///< index of the case -> index in the spool
};

}  // namespace parity::suite
