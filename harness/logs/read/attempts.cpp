// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/logs/read/attempts.hpp"

#include <algorithm>
#include <set>

namespace parity::logs {

void Attempts::take(size_t column, Begins& begins, const std::vector<int64_t>& steps, int64_t step) {
  if (!steps.empty() && step < steps.back()) {
    if (begins.back().attempt == starts_.size())
      starts_.push_back({column, step, false});
    else
      starts_.back().step = std::min(starts_.back().step, step);
  }
  if (begins.empty() || begins.back().attempt != starts_.size())
    begins.push_back({starts_.size(), steps.size()});
}

void Attempts::judge(size_t column, const Begins& begins, const std::vector<int64_t>& steps) {
  std::set<int64_t> before;
  for (size_t i = 0; i < begins.size(); ++i) {
    const auto begin = steps.begin() + static_cast<std::ptrdiff_t>(begins[i].at);
    const auto end =
        i + 1 < begins.size() ? steps.begin() + static_cast<std::ptrdiff_t>(begins[i + 1].at) : steps.end();
    if (begins[i].attempt > 0 && starts_[begins[i].attempt - 1].column == column) {
      const auto reached = before.lower_bound(*begin);
      starts_[begins[i].attempt - 1].is_resume = reached != before.end() && *reached <= *(end - 1);
    }
    before.insert(begin, end);
  }
}

std::vector<int64_t> Attempts::replaced_from() const {
  std::vector<int64_t> from(starts_.size() + 1, largest_step);
  for (size_t attempt = starts_.size(); attempt > 0; --attempt) {
    const Start& start = starts_[attempt - 1];
    from[attempt - 1] = std::min(from[attempt], start.is_resume ? start.step : largest_step);
  }
  return from;
}

}  // namespace parity::logs
