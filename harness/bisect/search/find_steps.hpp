// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace parity {

/// What a search over revisions asks. Revisions are numbered 0 to `last` in the order of history.
struct RevisionProbe {
  /// Makes a revision known; called once each. \return false if it cannot be judged and is passed over
  std::function<bool(size_t revision)> evaluate;
  /// How far apart two evaluated revisions lie: 0 if they are the same, else above 0; infinity is allowed.
  std::function<double(size_t a, size_t b)> distance;
};

/// A change between two revisions that were both evaluated.
struct RevisionStep {
  size_t before = 0;
  size_t after = 0;
  double size = 0;       ///< their distance
  bool narrowed = true;  ///< false: the search ended before it got to the bottom of this range

  /// Whether revisions that could not be judged, or were not, lie between.
  bool is_range() const { return after > before + 1; }
};

struct StepSearch {
  std::vector<RevisionStep> steps;  ///< biggest first, and of equal ones the earlier
  std::vector<size_t> evaluated;    ///< in the order they were asked, those that could be judged
  std::vector<size_t> skipped;      ///< likewise, those that could not
};

struct StepLimits {
  double tolerance = 0;    ///< revisions no farther apart than this are the same
  size_t most = SIZE_MAX;  ///< evaluations, skipped ones included; ranges that are left are told unnarrowed
};

/// Every step between revisions 0 and `last`.
///
/// Halves a range as long as its ends differ, the range with the largest distance first. What it names is
/// proven: both sides of each step were evaluated.
/// Assumes that nothing happened between two revisions that are the same: a change that is undone within such
/// a range is not seen.
/// Where neither half of a range differs by more than the tolerance but the range does, it goes into the half
/// that differs more.
///
/// Bound: evaluation_bound(last) for one step; each further one costs at most ceil(log2(last)) more. A
/// revision that cannot be judged costs its evaluation and no other.
/// \param last  at least 1; both ends can be evaluated
StepSearch find_steps(size_t last, const RevisionProbe& probe, const StepLimits& limits = {});

/// Evaluations that find one step among `last` commits: both ends and ceil(log2(last)).
size_t evaluation_bound(size_t last);

}  // namespace parity
