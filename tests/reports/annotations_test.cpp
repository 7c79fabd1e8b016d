// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/text/annotations.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/reports/sample.hpp"

namespace parity::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// One case with failing checks.
Results failing(size_t checks) {
  Case item;
  item.name = "lr/x";
  item.file = "/home/me/repo/cases/lr/x.toml";
  for (size_t i = 0; i < checks; ++i) {
    Check& check = item.checks.emplace_back();
    check.quantity = "loss";
    check.relation = "identical";
    check.steps = "all";
    check.arms = {"a", "b"};
    check.sentence = "50% off,\nat: step 3";
    check.finding.next = "parity compare lr/x:a lr/x:b";
    check.finding.cause = "parity bisect lr/x:a b";
    check.line = 17;
  }
  Results results;
  results.add(item);
  return results;
}

TEST(AnnotationsTest, PointAtTheLineOfTheCaseFile) {
  EXPECT_EQ(annotations(failing(1), "/home/me/repo"),
            "::error file=cases/lr/x.toml,line=17,title=lr/x%3A loss identical%3A a%2C b; steps all::50%25 "
            "off, at: "
            "step 3%0ANext: parity compare lr/x:a lr/x:b%0ATo find the cause: parity bisect lr/x:a b\n");
}

TEST(AnnotationsTest, AFileOutsideTheCheckoutKeepsItsPath) {
  EXPECT_THAT(annotations(failing(1), "/elsewhere"), HasSubstr("file=/home/me/repo/cases/lr/x.toml,"));
}

TEST(AnnotationsTest, ASuiteThatHoldsHasNone) {
  EXPECT_EQ(annotations(failing(0), ""), "");
}

TEST(AnnotationsTest, ASkippedCaseIsAWarningWithItsReason) {
  Results results = failing(0);
  results.cases[0].skipped = "arm cuda: no GPU";
  EXPECT_EQ(annotations(results, "/home/me/repo"),
            "::warning file=cases/lr/x.toml,line=1,title=lr/x%3A skipped::arm cuda: no GPU\n");
}

TEST(AnnotationsTest, DriftThatIsNoFailureIsANotice) {
  Results results = failing(1);
  for (const bool passed : {true, false}) {
    Check& check = results.cases[0].listed.front().check;
    check.passed = passed;
    check.verdict = "drift";
    check.sentence = "loss drifted";
    const std::string text = annotations(results, "/home/me/repo");
    EXPECT_EQ(
        text.starts_with(
            "::notice file=cases/lr/x.toml,line=1,title=lr/x%3A 1 stored quantity drifted::loss drifted\n"),
        passed)
        << text;
    EXPECT_EQ(text.starts_with("::error "), !passed);
  }
}

TEST(AnnotationsTest, TenAtMostAndTheLastCountsTheRest) {
  const auto lines = [](size_t checks) {
    const std::string text = annotations(failing(checks), "");
    return std::count(text.begin(), text.end(), '\n');
  };
  EXPECT_EQ(lines(10), 10);
  EXPECT_EQ(lines(11), 10);
  EXPECT_THAT(annotations(failing(25), ""), HasSubstr("::and 16 more failures; "));
}

TEST(AnnotationsTest, AnArmThatDidNotFinishIsOne) {
  EXPECT_THAT(annotations(sample(), ""), HasSubstr("loss is nan at update 6"));
}

TEST(AnnotationsTest, NoNameBeginsACommandOfItsOwn) {
  const std::string text = annotations(sample(), "");
  size_t lines = 0;
  for (size_t at = 0; at < text.size(); at = text.find('\n', at) + 1, ++lines)
    EXPECT_TRUE(text.substr(at, 8) == "::error " || text.substr(at, 9) == "::notice ") << text.substr(at, 20);
  EXPECT_GE(lines, 8U);
  EXPECT_THAT(text, Not(HasSubstr("\r")));
}

}  // namespace
}  // namespace parity::reports
