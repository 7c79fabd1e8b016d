// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/model/suite/overview.hpp"

#include <gmock/gmock.h>

#include "tests/reports/sample.hpp"

namespace parity::reports {
namespace {

Check golden_check(const std::string& verdict, const std::string& quantity = "loss") {
  Check check;
  check.kind = results::CheckKind::golden;
  check.against = "golden";
  check.quantity = quantity;
  check.verdict = verdict;
  check.passed = verdict != "different" && verdict != "missing";
  return check;
}

/// A suite with one case per list of checks.
Results suite(const std::vector<std::vector<Check>>& cases) {
  Results results;
  for (const std::vector<Check>& checks : cases) {
    Case item;
    item.name = "topic/" + std::to_string(results.cases.size() + 1);
    item.checks = checks;
    results.add(item);
  }
  return results;
}

TEST(OverviewTest, SaysThatEveryStoredQuantityAgrees) {
  const Results results =
      suite({{golden_check("identical"), golden_check("identical")}, {golden_check("identical")}});
  EXPECT_EQ(golden_state(results).sentence(), "All 3 stored quantities of 2 cases agree bit for bit");
  EXPECT_TRUE(golden_state(results).changed.empty());
}

TEST(OverviewTest, CountsDriftAsAChangeAlthoughItPasses) {
  const Results results =
      suite({{golden_check("identical"), golden_check("drift")}, {golden_check("different")}});
  const GoldenState state = golden_state(results);
  EXPECT_EQ(state.sentence(), "2 of 3 stored quantities of 2 cases changed");
  ASSERT_EQ(state.changed.size(), 2U);
  EXPECT_EQ(state.changed[1].case_index, 1U);
  EXPECT_EQ(state.changed[1].check_index, 0U);
}

TEST(OverviewTest, KeepsWhatWasRecordedApartFromWhatWasCompared) {
  const GoldenState state = golden_state(suite({{golden_check("identical", "golden")}}));
  EXPECT_EQ(state.sentence(), "1 golden recorded");
  EXPECT_EQ(state.quantities, 0U);
}

TEST(OverviewTest, AMissingGoldenIsNoChange) {
  const GoldenState state =
      golden_state(suite({{golden_check("identical")}, {golden_check("missing", "golden")}}));
  EXPECT_TRUE(state.changed.empty());
  EXPECT_THAT(state.sentence(), testing::EndsWith("; 1 case has no golden yet"));
}

TEST(OverviewTest, ACrashIsNoChange) {
  const GoldenState state = golden_state(suite({{golden_check("identical")}, {golden_check("crashed")}}));
  EXPECT_TRUE(state.changed.empty());
  EXPECT_EQ(state.sentence(),
            "The stored quantity of 1 case agrees bit for bit; 1 stored quantity could not be compared, as a "
            "run did not finish");
}

TEST(OverviewTest, SaysThatNothingWasCompared) {
  EXPECT_EQ(golden_state(suite({{}})).sentence(), "No case was compared with a golden");
}

TEST(OverviewTest, PutsTheSlowestCaseFirst) {
  Results results = suite({{}, {}, {}, {}});
  results.cases[0].seconds = 1;
  results.cases[2].seconds = 30;
  results.cases[3].seconds = 5;
  const std::vector<const CaseLine*> cases = slowest(results, 2);
  ASSERT_EQ(cases.size(), 2U);
  EXPECT_EQ(cases[0], &results.cases[2]);
  EXPECT_EQ(cases[1], &results.cases[3]);
  EXPECT_EQ(slowest(results, 9).size(), 3U) << "a case that took no time is not slow";
}

TEST(OverviewTest, FindsEveryFailureOfTheSample) {
  const Results results = sample();
  const std::vector<Finding> all = failures(results);
  EXPECT_EQ(all.size(), results.checks_failed());
  for (const Finding& finding : all)
    EXPECT_EQ(sample_case(finding.case_index).checks[finding.check_index].id, finding.check->id);
}

TEST(OverviewTest, GroupsDigits) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(1234567), "1,234,567");
}

}  // namespace
}  // namespace parity::reports
