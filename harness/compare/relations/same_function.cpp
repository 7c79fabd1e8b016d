// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/relations/relation.hpp"
#include "harness/compare/relations/residues.hpp"

namespace parity::compare {

CheckResult judge_same_function(const Check& check, const std::vector<Side>& sides) {
  CheckResult result = judge_residues(check, sides);
  result.passed = result.verdict == Verdict::identical;
  return result;
}

}  // namespace parity::compare
