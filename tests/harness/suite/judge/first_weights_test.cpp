// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/judge/first_weights.hpp"

#include <gmock/gmock.h>

#include "tests/support/traces/planted_runs.hpp"

namespace parity::suite {
namespace {

/// Runs with a weight at step 0, and what they state of it.
class FirstWeightsTest : public PlantedTest {
 protected:
  static PlantedRun run_from(float weight) {
    PlantedRun run;
    run.channels["loss"] = std::vector<double>{2, 1};
    run.tensors.push_back({{0, trace::Phase::param, "w"}, std::vector<float>{1, weight}});
    run.tensors.push_back({{0, trace::Phase::param, "b"}, std::vector<float>{3}});
    return run;
  }
  static PlantedRun run_that_states(const std::string& digest, const std::string& dtype = "float32") {
    PlantedRun run = run_from(2);
    run.config = {{"dtype", dtype}};
    run.provenance = {{"fingerprint", {{"initial_weights", digest}}}};
    return run;
  }
  std::string between(const PlantedRun& one, const PlantedRun& other) {
    return describe_first_weights("one", *write("one", one), "other", *write("other", other));
  }
};

TEST_F(FirstWeightsTest, EqualTensors_AreSilent) {
  EXPECT_EQ(between(run_from(2), run_from(2)), "");
}

TEST_F(FirstWeightsTest, DifferentTensor_IsNamed) {
  EXPECT_EQ(between(run_from(2), run_from(2.5)),
            "one and other start from different weights (1 of 2 tensors of step 0, first w)");
}

TEST_F(FirstWeightsTest, NotANumber_IsADifference) {
  EXPECT_NE(between(run_from(2), run_from(NAN)), "");
}

TEST_F(FirstWeightsTest, StatedDigests_Decide) {
  EXPECT_EQ(between(run_that_states("abcdefghij"), run_that_states("abcdefghij")), "");
  EXPECT_EQ(between(run_that_states("abcdefghij"), run_that_states("0123456789")),
            "one and other start from different weights (digests abcdefgh and 01234567)");
}

TEST_F(FirstWeightsTest, OtherDtype_IsNotCompared) {
  EXPECT_EQ(between(run_that_states("abc"), run_that_states("def", "float64")), "");
}

TEST_F(FirstWeightsTest, OneSilentSide_IsAnsweredByTensors) {
  EXPECT_EQ(between(run_that_states("abc"), run_from(2)), "");
  EXPECT_NE(between(run_that_states("abc"), run_from(3)), "");
}

TEST_F(FirstWeightsTest, SameFunctionOfOtherWeights_IsNotTheSameTraining) {
  compare::ArmEvidence one, other;
  one.trace = write("one", run_that_states("abcdefghij", "exact"));
  other.trace = write("other", run_that_states("0123456789", "exact"));
  for (const auto relation : {compare::Relation::same_function, compare::Relation::other_function}) {
    const auto judged_with = [&](const compare::ArmEvidence& twin_of_b) {
      compare::Check check;
      check.relation = relation;
      check.arms = {"a", "b"};
      std::map<std::string, compare::ArmEvidence> evidence;
      evidence["a"].exact = &one;
      evidence["b"].exact = &twin_of_b;
      compare::CheckResult result;
      result.passed = true;
      result.verdict = compare::Verdict::identical;
      result.sentence = "equal residues";
      add_first_weights(result, check, evidence);
      return result;
    };
    EXPECT_EQ(judged_with(one).sentence, "equal residues");
    EXPECT_TRUE(judged_with(one).passed);
    const compare::CheckResult apart = judged_with(other);
    EXPECT_EQ(apart.sentence,
              "a and b start from different weights (digests abcdefgh and 01234567); equal residues");
    EXPECT_EQ(apart.passed, relation == compare::Relation::other_function);
  }
}

}  // namespace
}  // namespace parity::suite
