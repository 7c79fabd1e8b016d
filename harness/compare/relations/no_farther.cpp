// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/base/error.hpp"
#include "harness/compare/bounds/gap_ratio.hpp"
#include "harness/compare/relations/relation.hpp"

namespace parity::compare {

CheckResult judge_no_farther(const Check& check, const std::vector<Side>& sides) {
  require(check.sibling && sides.size() == 4, "no_farther is about two pairs of arms");
  const GapRatioWords words = {sides[1].name + " against " + sides[0].name,
                               sides[3].name + " against " + sides[2].name};
  return judge_gap_ratio(gap_curves(check, sides[0], sides[1]), gap_curves(check, sides[2], sides[3]),
                         *check.sibling, words);
}

}  // namespace parity::compare
