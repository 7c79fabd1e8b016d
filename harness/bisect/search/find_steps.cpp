// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/search/find_steps.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <set>
#include <tuple>

#include "harness/base/error.hpp"

namespace parity::bisect {
namespace {

/// Returns the revisions strictly between two, in the order to try them. The middle comes first, then
/// revisions at growing distances, which soon leaves a range of commits that do not build. The others come
/// last.
std::vector<size_t> candidates(size_t before, size_t after) {
  std::vector<size_t> order;
  std::set<size_t> seen;
  const size_t middle = before + (after - before) / 2;
  const auto add = [&](size_t distance) {
    for (const size_t revision : {middle + distance, middle - std::min(middle, distance)})
      if (revision > before && revision < after && seen.insert(revision).second)
        order.push_back(revision);
  };
  add(0);
  for (size_t distance = 1; distance < after - before; distance *= 2)
    add(distance);
  for (size_t distance = 1; distance < after - before; ++distance)
    add(distance);
  return order;
}

class Search {
 public:
  Search(const RevisionProbe& probe, const StepLimits& limits) : probe_(probe), limits_(limits) {}

  StepSearch run(size_t last) {
    require(last >= 1, "a range of revisions has two ends");
    require(judge(0) && judge(last), "both ends of a range of revisions can be evaluated");
    open(0, last);
    while (!open_.empty()) {
      const RevisionStep range = open_.front();
      open_.erase(open_.begin());
      split(range);
    }
    std::sort(found_.steps.begin(), found_.steps.end(), bigger);
    return std::move(found_);
  }

 private:
  static bool bigger(const RevisionStep& a, const RevisionStep& b) {
    return std::tie(b.size, a.before) < std::tie(a.size, b.before);
  }

  bool judge(size_t revision) {
    if (known_.contains(revision))
      return true;
    if (unknown_.contains(revision))
      return false;
    const bool judged = probe_.evaluate(revision);
    (judged ? known_ : unknown_).insert(revision);
    (judged ? found_.evaluated : found_.skipped).push_back(revision);
    return judged;
  }

  bool may_ask(size_t revision) const {
    return known_.contains(revision) || unknown_.contains(revision) ||
           known_.size() + unknown_.size() < limits_.most;
  }

  void insert(const RevisionStep& range) {
    open_.insert(std::upper_bound(open_.begin(), open_.end(), range, bigger), range);
  }

  void open(size_t before, size_t after) {
    const double size = probe_.distance(before, after);
    if (size > limits_.tolerance)
      insert({before, after, size});
  }

  void split(RevisionStep range) {
    for (const size_t revision : candidates(range.before, range.after)) {
      if (!may_ask(revision)) {
        range.narrowed = false;
        break;
      }
      if (judge(revision))
        return descend(range, revision);
    }
    found_.steps.push_back(range);
  }

  void descend(const RevisionStep& range, size_t middle) {
    const double first = probe_.distance(range.before, middle);
    const double second = probe_.distance(middle, range.after);
    const bool small = first <= limits_.tolerance && second <= limits_.tolerance;
    if (first > limits_.tolerance || (small && first >= second))
      insert({range.before, middle, first});
    if (second > limits_.tolerance || (small && first < second))
      insert({middle, range.after, second});
  }

  const RevisionProbe& probe_;
  const StepLimits& limits_;
  StepSearch found_;
  std::vector<RevisionStep> open_;  ///< ranges whose ends differ, largest first
  std::set<size_t> known_, unknown_;
};

}  // namespace

StepSearch find_steps(size_t last, const RevisionProbe& probe, const StepLimits& limits) {
  return Search(probe, limits).run(last);
}

size_t evaluation_bound(size_t last) {
  return 2 + std::bit_width(std::max<size_t>(last, 1) - 1);
}

}  // namespace parity::bisect
