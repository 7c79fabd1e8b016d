// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>

#include "harness/base/json.hpp"
#include "harness/base/spool.hpp"

namespace parity {

/// results.json (schema parity.results/1) as it comes: each case whole once, then what is said of all. A case
/// that was added is on disk and no longer in memory.
class ResultsWriter {
 public:
  /// \throws UserError if its folder cannot be written to
  explicit ResultsWriter(std::filesystem::path file);

  /// \param place  among the cases; the order of adding is free
  /// \throws UserError if the disk is full, as all below
  void add(size_t place, const Json& item);
  /// Writes the file: cases by their places, then `rest`, the members beside them.
  void finish(const Json& rest);

 private:
  std::filesystem::path file_;
  Spool cases_;
  std::map<size_t, size_t> pieces_;  ///< place -> number in the spool
};

}  // namespace parity
