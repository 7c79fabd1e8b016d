// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace parity::logs {

/// Finds the attempts of a run in its log. A run that resumes from a checkpoint goes back to an earlier step.
/// What the attempt before has logged from that step on belongs to no run that ended.
class Attempts {
 public:
  /// Where the values of an attempt begin among those of a column.
  struct Begin {
    size_t attempt = 0, at = 0;
  };
  using Begins = std::vector<Begin>;

  /// Takes the next step of a column. A column that goes back begins an attempt, unless another one has begun
  /// it since this column's last value.
  /// \param column  its index
  /// \param begins  of this column
  /// \param steps   of this column, in the order of the file, without the next one
  void take(size_t column, Begins& begins, const std::vector<int64_t>& steps, int64_t step);

  bool empty() const { return starts_.empty(); }

  /// Decides of each attempt that a column began whether it is a resume: it reaches a step that the column
  /// had before. Otherwise the log is not in the order of its steps, as a table that begins with the last
  /// one.
  void judge(size_t column, const Begins& begins, const std::vector<int64_t>& steps);
  /// Returns, for each attempt from 0 on, the step from which on a later one replaces it; largest_step if
  /// none does. judge() has seen every column.
  std::vector<int64_t> replaced_from() const;

  static constexpr int64_t largest_step = INT64_MAX;

 private:
  struct Start {
    size_t column = 0;
    int64_t step = 0;  ///< smallest step to which a column went back
    bool is_resume = false;
  };
  std::vector<Start> starts_;  ///< of attempts 1, 2, ...
};

}  // namespace parity::logs
