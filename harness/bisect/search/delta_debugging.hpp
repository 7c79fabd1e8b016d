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

namespace parity {

/// What a run with some of the differences switched on is like.
enum class Likeness {
  good,     ///< like the good side
  bad,      ///< like the bad side
  neither,  ///< like none of them
  unknown,  ///< no answer: such a config is refused, or its run crashed
};

template <>
struct EnumNames<Likeness> {
  static constexpr std::string_view what = "likeness";
  static constexpr std::array<std::string_view, 4> names = {"good", "bad", "neither", "unknown"};
};
static_assert(EnumNames<Likeness>::names.size() == static_cast<size_t>(Likeness::unknown) + 1);

/// Differences, by number.
using Toggles = std::set<size_t>;

/// Whether this may well be the answer, and is looked at to the end of the run.
enum class Reach { diverging_step, whole_run };

using Ask = std::function<Likeness(const Toggles& on, Reach reach)>;

/// Asks each question once, and counts. An answer for a whole run serves a shorter one too.
class MemoisedAsk {
 public:
  explicit MemoisedAsk(Ask ask) : ask_(std::move(ask)) {}

  Likeness operator()(const Toggles& on, Reach reach);
  int64_t asked() const { return asked_; }
  /// What is known of a set. \return unknown if it was not asked
  Likeness known(const Toggles& on) const;

 private:
  Ask ask_;
  std::map<std::pair<Toggles, Reach>, Likeness> answers_;
  int64_t asked_ = 0;
};

/// ceil(log2 n): what one culprit among n costs at least.
int64_t bisection_bound(size_t n);

/// A set that is like the bad side, found by bisection over beginnings of `order`: the last element of the
/// shortest beginning that is bad belongs to it, is kept on, and the search goes on before it.
///
/// At most k (ceil(log2 n) + 1) questions for k elements. Assumption: what is bad stays bad with more
/// switched on. Where it does not hold, or answers are missing, the set is still like the bad side, but may
/// hold too much.
/// Precondition: all of `order` together are like the bad side, and nothing of it is not.
/// Source: METRICS.md M17 (FLiT's bisection, O(k log n)).
Toggles bisect_toggles(const std::vector<size_t>& order, const Ask& ask);

/// A subset that is like the bad side, and is not without any one of its elements (as far as there are
/// answers): Zeller and Hildebrandt's ddmin. At most k^2 + 3 k questions for a start of k elements, at most
/// 2 log2 k where one of them is enough. No assumption.
/// Precondition: `start` is like the bad side.
/// Source: METRICS.md M17; A. Zeller, R. Hildebrandt, "Simplifying and Isolating Failure-Inducing Input",
/// 2002.
Toggles ddmin(const Toggles& start, const Ask& ask);

/// bisect_toggles, and where it leaves more than one element ddmin over these, which takes out what an
/// assumption that does not hold has let in.
Toggles minimal_toggles(const std::vector<size_t>& order, const Ask& ask);

}  // namespace parity
