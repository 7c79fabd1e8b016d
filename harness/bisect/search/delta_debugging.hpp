// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "harness/base/enum_names.hpp"

namespace parity::bisect {

/// The side that a run with some of the differences switched on is like.
enum class Likeness {
  good,     ///< like the good side
  bad,      ///< like the bad side
  neither,  ///< unlike both sides
  unknown,  ///< no answer: the trainer refuses the config, or the run crashed
};

constexpr auto enum_names(Likeness) {
  return named<Likeness::unknown>("likeness", {"good", "bad", "neither", "unknown"});
}

/// A set of differences, by index.
using Toggles = std::set<size_t>;

/// The updates to compare: up to the step at which the sides diverge, or all. A candidate for the answer is
/// compared over the whole run.
enum class Reach { diverging_step, whole_run };

using Ask = std::function<Likeness(const Toggles& on, Reach reach)>;

/// Asks each question once and counts the questions. An answer for a whole run also answers a shorter one.
class MemoisedAsk {
 public:
  explicit MemoisedAsk(Ask ask) : ask_(std::move(ask)) {}

  Likeness operator()(const Toggles& on, Reach reach);
  int64_t asked() const { return asked_; }
  /// Returns the answer for a set; unknown if it was not asked.
  Likeness known(const Toggles& on) const;

 private:
  Ask ask_;
  std::map<std::pair<Toggles, Reach>, Likeness> answers_;
  int64_t asked_ = 0;
};

/// Returns ceil(log2 n), the smallest number of questions that finds one cause among n.
int64_t bisection_bound(size_t n);

/// Returns a set that is like the bad side, found by bisection over prefixes of `order`.
///
/// The last element of the shortest bad prefix belongs to the set. The search keeps it on and continues with
/// the elements before it. A set of k elements takes at most k (ceil(log2 n) + 1) questions.
///
/// Assumption: a bad set stays bad with more elements on. If this does not hold, or answers are missing, the
/// set is still like the bad side, but may have unnecessary elements. Precondition: all of `order` together
/// are like the bad side, and the empty set is not. Source: METRICS.md M17 (FLiT's bisection, O(k log n)).
Toggles bisect_toggles(const std::vector<size_t>& order, const Ask& ask);

/// Returns a subset that is like the bad side, but is not without any one of its elements (as far as there
/// are answers): Zeller and Hildebrandt's ddmin.
///
/// Asks at most k^2 + 3 k questions for a start of k elements, or at most 2 log2 k if one of them is enough.
/// Makes no assumption.
/// Precondition: `start` is like the bad side.
/// Source: METRICS.md M17; A. Zeller, R. Hildebrandt, "Simplifying and Isolating Failure-Inducing Input",
/// 2002.
Toggles ddmin(const Toggles& start, const Ask& ask);

/// Returns a minimal set by bisect_toggles, followed by ddmin if the set has more than one element. ddmin
/// removes elements that are in the set because the assumption of the bisection does not hold.
Toggles minimal_toggles(const std::vector<size_t>& order, const Ask& ask);

}  // namespace parity::bisect
