// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/text/step_set.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace parity::compare {

StepSet::StepSet(const std::vector<int64_t>& steps) {
  for (const int64_t step : steps)
    add(step);
}

void StepSet::add(int64_t first, int64_t last) {
  if (last < first)
    return;
  auto place = ranges_.end();  // steps are mostly added in order
  while (place != ranges_.begin() && std::prev(place)->second >= first - 1)
    --place;
  auto end = place;
  for (; end != ranges_.end() && end->first <= last + 1; ++end) {
    first = std::min(first, end->first);
    last = std::max(last, end->second);
  }
  ranges_.insert(ranges_.erase(place, end), {first, last});
}

bool StepSet::contains(int64_t step) const {
  return std::ranges::any_of(
      ranges_, [step](const auto& range) { return range.first <= step && step <= range.second; });
}

int64_t StepSet::count() const {
  int64_t count = 0;
  for (const auto& [first, last] : ranges_)
    count += last - first + 1;
  return count;
}

StepSet StepSet::without(const StepSet& other) const {
  StepSet left;
  for (const auto& [first, last] : ranges_) {
    int64_t begin = first;
    for (const auto& [cut_first, cut_last] : other.ranges_) {
      if (cut_last < begin || cut_first > last)
        continue;
      left.add(begin, cut_first - 1);
      begin = cut_last + 1;
    }
    left.add(begin, last);
  }
  return left;
}

StepSet StepSet::common(const StepSet& other) const {
  return without(without(other));
}

std::string StepSet::text() const {
  constexpr size_t most = 4;
  if (empty())
    return "no step";
  std::string text = count() == 1 ? "step " : "steps ";
  int64_t named = 0;
  for (size_t i = 0; i < std::min(most, ranges_.size()); ++i) {
    const auto& [first, last] = ranges_[i];
    text += (i ? ", " : "") + (first == last ? std::to_string(first) : fmt::format("{}-{}", first, last));
    named += last - first + 1;
  }
  return named == count() ? text : text + fmt::format(" and {} more", count() - named);
}

}  // namespace parity::compare
