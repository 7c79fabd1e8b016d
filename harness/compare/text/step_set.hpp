// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace parity::compare {

/// A set of steps, stored as ranges.
class StepSet {
 public:
  StepSet() = default;
  explicit StepSet(const std::vector<int64_t>& steps);

  void add(int64_t step) { add(step, step); }
  /// Adds the steps from `first` to `last`, both included; none if `last` is less than `first`.
  void add(int64_t first, int64_t last);

  bool empty() const { return ranges_.empty(); }
  int64_t count() const;
  bool contains(int64_t step) const;
  /// Returns the steps of this set that are not in `other`.
  StepSet without(const StepSet& other) const;
  /// Returns the steps that are in both sets.
  StepSet common(const StepSet& other) const;
  const std::vector<std::pair<int64_t, int64_t>>& ranges() const { return ranges_; }
  /// Returns "step 3", "steps 1-7, 9" (at most 4 ranges, then the number of omitted steps) or "no step".
  std::string text() const;

  bool operator==(const StepSet&) const = default;

 private:
  std::vector<std::pair<int64_t, int64_t>> ranges_;  ///< in order, with a gap between any two
};

}  // namespace parity::compare
