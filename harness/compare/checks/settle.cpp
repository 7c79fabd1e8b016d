// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/checks/settle.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace parity::compare {

CheckResult settle(CheckResult result, const std::vector<CoveredSide>& asked) {
  std::vector<CoveredSide>& sides = result.coverage.sides;
  sides.resize(std::max(sides.size(), asked.size()));
  for (size_t i = 0; i < asked.size(); ++i) {
    Covered compared = std::move(sides[i].compared);
    sides[i] = asked[i];
    sides[i].compared = std::move(compared);
  }
  if (!result.passed)
    return result;
  if (std::string shortfall = result.coverage.shortfall(); !shortfall.empty()) {
    result.passed = false;
    result.verdict = Verdict::missing;
    result.sentence = std::move(shortfall);
  }
  return result;
}

}  // namespace parity::compare
