// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/bounds/bound.hpp"
#include "harness/compare/relations/relation.hpp"

namespace parity::compare {

CheckResult judge_bounded(const Check& check, const std::vector<Side>& sides) {
  const std::vector<BoundedGap> gaps = measure_bounded(check, sides);
  return judge_bound(
      gaps, rule_of(check),
      {sides.at(0).name, sides.at(1).name, bounded_subject(check, gaps, sides.at(0).name, sides.at(1).name)});
}

}  // namespace parity::compare
