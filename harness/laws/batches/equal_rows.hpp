// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "harness/laws/batches/batch.hpp"
#include "harness/laws/batches/departures.hpp"

namespace parity::laws {

/// Compares rows of one update that must differ: those of its micro-batches, of its ranks, and single rows.
///
/// Rows of rollouts may be equal: a group answers one prompt. Single rows depart if some are equal at every
/// update, as with workers that share a seed; data may have a row twice, so fewer updates are a note.
class EqualRows {
 public:
  EqualRows(const RecordedRun& run, Finding& finding, Departures& departures);

  void add(const Batch& batch);
  /// Judges single rows, once all batches were added.
  void finish();

 private:
  void compare_micro_batches(const Batch& batch);
  void compare_ranks(const Batch& batch);
  void compare_single_rows(const Batch& batch);

  Finding& finding_;
  Departures& departures_;
  bool rollouts_;
  int64_t micro_batches_;
  std::set<int64_t> asked_, equal_;  ///< updates whose single rows were compared, and those with equal ones
  std::string first_;                ///< "row 3 is row 0"
  std::string tokens_name_;
};

}  // namespace parity::laws
