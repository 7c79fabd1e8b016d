// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace parity::bisect {

/// The questions of a search over revisions, which are numbered 0 to `last` in the order of history.
struct RevisionProbe {
  /// Evaluates a revision; called once for each. \return false if it cannot be judged, so the search skips it
  std::function<bool(size_t revision)> evaluate;
  /// Returns the distance between two evaluated revisions: 0 if they are equal, else above 0, maybe infinite.
  std::function<double(size_t a, size_t b)> distance;
};

/// A change between two revisions that were both evaluated.
struct RevisionStep {
  size_t before = 0;
  size_t after = 0;
  double size = 0;       ///< their distance
  bool narrowed = true;  ///< false: the search ended before it narrowed this range

  /// Returns whether there are unjudged revisions between the two.
  bool is_range() const { return after > before + 1; }
};

struct StepSearch {
  std::vector<RevisionStep> steps;  ///< largest first; of equal ones, the earlier first
  std::vector<size_t> evaluated;    ///< judged revisions, in the order of evaluation
  std::vector<size_t> skipped;      ///< revisions that could not be judged, in the same order
};

struct StepLimits {
  double tolerance = 0;  ///< largest distance between revisions that count as equal
  /// Largest number of evaluations, including skipped revisions. Remaining ranges are returned unnarrowed.
  size_t most = SIZE_MAX;
};

/// Returns every step between revisions 0 and `last`.
///
/// Halves a range as long as its ends differ, starting with the range of the largest distance. Each step is
/// proven, since both of its revisions were evaluated. If a range differs by more than the tolerance but
/// neither of its halves does, the search continues in the half that differs more.
///
/// Assumes that nothing changes between two equal revisions. It misses a change that is undone within such a
/// range.
///
/// One step takes at most evaluation_bound(last) evaluations, each further step at most ceil(log2(last))
/// more. A revision that cannot be judged costs one evaluation.
/// \param last  at least 1; both ends can be evaluated
StepSearch find_steps(size_t last, const RevisionProbe& probe, const StepLimits& limits = {});

/// Returns the number of evaluations that find one step among `last` commits: both ends and ceil(log2(last)).
size_t evaluation_bound(size_t last);

}  // namespace parity::bisect
