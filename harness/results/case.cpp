// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/results/case.hpp"

#include <algorithm>

namespace parity::results {

void CaseTimes::add(const CaseTimes& other) {
  training += other.training;
  start += other.start;
  judging += other.judging;
  waiting += other.waiting;
}

size_t Case::checks_failed() const {
  return static_cast<size_t>(std::ranges::count_if(checks, [](const Check& item) { return !item.passed; }));
}

const Arm* Case::find_arm(const std::string& wanted) const {
  const auto found = std::ranges::find(arms, wanted, &Arm::name);
  return found == arms.end() ? nullptr : &*found;
}

}  // namespace parity::results
