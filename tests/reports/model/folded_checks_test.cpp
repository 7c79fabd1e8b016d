// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "reports/model/checks/folded.hpp"

namespace parity::reports {
namespace {

TEST(FoldedChecksTest, OneStoredQuantityStandsForAllThatAnArmLost) {
  const auto stored = [](const std::string& arm, const std::string& quantity, bool passed) {
    Check check;
    check.kind = results::CheckKind::golden;
    check.arms = {arm};
    check.quantity = quantity;
    check.passed = passed;
    check.verdict = passed ? "identical" : "different";
    return check;
  };
  const std::vector<Check> checks = {stored("a", "loss", false), stored("b", "loss", false),
                                     stored("b", "lr", true), stored("b", "grad", false),
                                     stored("b", "param", false)};
  const FoldedChecks folded = folded_checks(checks);
  EXPECT_EQ(folded.checks, (std::set<const Check*>{&checks[3], &checks[4]}));
  EXPECT_EQ(folded.sentences,
            std::vector<std::string>{"2 more stored quantities of b are different: grad, param"});
}

}  // namespace
}  // namespace parity::reports
