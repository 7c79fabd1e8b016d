// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/relations/relation.hpp"
#include "harness/compare/relations/residues.hpp"

namespace parity::compare {

CheckResult judge_other_function(const Check& check, const std::vector<Side>& sides) {
  CheckResult result = judge_residues(check, sides);
  result.passed = result.verdict == Verdict::different;
  if (!result.passed)
    result.sentence += ": the option under test has no effect there";
  return result;
}

}  // namespace parity::compare
