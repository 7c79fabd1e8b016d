// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/judge/late_difference.hpp"

#include <gmock/gmock.h>

#include "tests/support/traces/planted_runs.hpp"

namespace parity::suite {
namespace {

using compare::Relation;
using compare::Verdict;
using testing::HasSubstr;

/// A derived proof that two arms are distinct, whose twins have equal residues.
class LateDifferenceTest : public PlantedTest {
 protected:
  static PlantedRun run_with(std::vector<double> rates) {
    PlantedRun run;
    run.channels["lr"] = std::move(rates);
    return run;
  }
  Verdict judged(const PlantedRun& one, const PlantedRun& other, bool derived = true,
                 Relation relation = Relation::other_function) {
    compare::Check check;
    check.arms = {"a", "b"};
    check.relation = relation;
    check.derived = derived;
    check.steps = compare::two_updates;
    std::map<std::string, compare::ArmEvidence> arms;
    arms["a"].trace = write("a", one);
    arms["b"].trace = write("b", other);
    compare::CheckResult result;
    result.verdict = Verdict::identical;
    excuse_late_difference(result, check, arms);
    sentence_ = result.sentence;
    return result.verdict;
  }
  std::string sentence_;
};

TEST_F(LateDifferenceTest, RateThatDecaysLater_IsUnproved) {
  EXPECT_EQ(judged(run_with({1, 2, 3}), run_with({1, 2, 2.5})), Verdict::missing);
  EXPECT_THAT(sentence_, HasSubstr("they begin to differ after update 2"));
}

TEST_F(LateDifferenceTest, DifferenceWithinTheProof_IsNotExcused) {
  EXPECT_EQ(judged(run_with({1, 2, 3}), run_with({1, 2.5, 3})), Verdict::identical);
}

TEST_F(LateDifferenceTest, ChannelOfOneArm_IsNotExcused) {
  PlantedRun more = run_with({1, 2, 3});
  more.channels["loss"] = std::vector<double>{4, 3, 2};
  EXPECT_EQ(judged(more, run_with({1, 2, 3})), Verdict::identical);
  EXPECT_EQ(judged(run_with({1, 2, 3}), more), Verdict::identical);
}

TEST_F(LateDifferenceTest, RunsThatEndEarlier_AreNotExcused) {
  EXPECT_EQ(judged(run_with({1}), run_with({1})), Verdict::identical);
}

TEST_F(LateDifferenceTest, ClaimsOfTheCase_KeepTheirVerdict) {
  const PlantedRun one = run_with({1, 2, 3}), other = run_with({1, 2, 2.5});
  EXPECT_EQ(judged(one, other, false), Verdict::identical);
  EXPECT_EQ(judged(one, other, true, Relation::same_function), Verdict::identical);
}

}  // namespace
}  // namespace parity::suite
