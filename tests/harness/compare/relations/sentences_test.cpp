// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "tests/support/traces/twin_runs.hpp"

/// The whole text of one sentence per relation and outcome. Other tests pin only fields and short key words,
/// so that a change of words is a change of this file.
namespace parity::compare {
namespace {

class SentencesTest : public TwinTest {
 protected:
  CheckResult judged(Relation relation) const { return judge(check_of(relation, {"loss"}), arms); }
  void add_curves(double factor) {
    add_arm("a", {.channels = {{"loss", falling_curve()}}});
    add_arm("b",
            {.channels = {{"loss", changed(falling_curve(), [&](size_t, double v) { return factor * v; })}}});
  }
};

TEST_F(SentencesTest, Identical_Holds) {
  add_curves(1);
  EXPECT_EQ(judged(Relation::identical).sentence, "loss of b and a have the same bits over steps 1-10");
}

TEST_F(SentencesTest, Identical_Fails) {
  add_curves(4);
  const CheckResult result = judged(Relation::identical);
  EXPECT_EQ(result.sentence,
            "loss of b differs from a's at 10 of 10 steps, first at step 1: a 8, b 32 (relative gap 3)");
  EXPECT_EQ(result.looks_like, "loss of b is 4 times a's at every step (ratio 4)");
}

TEST_F(SentencesTest, Lagged_Fails) {
  add_curves(4);
  EXPECT_EQ(judged(Relation::lagged).sentence,
            "loss of b 1 step later differs from a's at 9 of 9 steps, first at step 2: a has 8 at step 1, b "
            "has 30.963272 at step 2 (relative gap 2.9)");
}

TEST_F(SentencesTest, Equivalent_Rounding) {
  add_pair();
  EXPECT_EQ(judged(Relation::equivalent).sentence,
            "loss of b and a differ only by rounding over steps 1-10: the gap is 4.6e-06 in float32 and "
            "1.1e-14 in float64, 2^28.6 times smaller (rounding shrinks at least 2^20 times)");
}

TEST_F(SentencesTest, Equivalent_Different) {
  add_pair(1e-3);
  const CheckResult result = judged(Relation::equivalent);
  EXPECT_EQ(result.sentence,
            "loss of b differs from a's by more than rounding over steps 1-10: the gap is 0.0032 in float32 "
            "and 0.0032 in float64, 2^0.0 times smaller (rounding shrinks at least 2^20 times); first at "
            "step 1: a 7.9999995, b 8.000999 (1049 float32 ULPs, relative gap 0.00012)");
  EXPECT_EQ(result.looks_like, "at most 0.11 % of its descent");
}

TEST_F(SentencesTest, Distinct_Holds) {
  add_pair(1e-2);
  EXPECT_EQ(judged(Relation::distinct).sentence,
            "loss of b and a differ by more than rounding over steps 1-10: 8.9e+03 floors (needed 100; gap "
            "0.032, floor 3.6e-06), and the gap stays in float64 (collapse 2^0.0); first at step 1: a "
            "7.9999995, b 8.009999 (relative gap 0.0012)");
}

TEST_F(SentencesTest, Distinct_OnlyRounding) {
  add_pair();
  EXPECT_EQ(judged(Relation::distinct).sentence,
            "loss of b differs from a's over steps 1-10 only by rounding: the gap is 4.6e-06 in float32 and "
            "1.1e-14 in float64, 2^28.6 times smaller (rounding shrinks at least 2^20 times)");
}

TEST_F(SentencesTest, Trained_Holds) {
  add_curves(1);
  Check check = check_of(Relation::trained, {"loss"});
  check.arms = {"a"};
  EXPECT_EQ(judge(check, arms).sentence,
            "loss of a fell from 8 at step 1 to 7.0672054 at step 10, a descent of 0.93 against a "
            "step-to-step noise of 0.023 (needed 3 times)");
}

}  // namespace
}  // namespace parity::compare
