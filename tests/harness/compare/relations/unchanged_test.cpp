// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "tests/support/traces/planted_runs.hpp"

namespace parity::compare {
namespace {

using testing::HasSubstr;

/// The first update leaves the parameters unchanged, the second does not.
class UnchangedTest : public PlantedTest {
 protected:
  static PlantedTensor at(int64_t step, float value) {
    return {{step, trace::Phase::param, "w"}, std::vector<float>{value, 1, 2}};
  }
  void add(bool whole) {
    add_arm("a", {.channels = {{"lr", std::vector<double>{0, 0.5, 0.5}}},
                  .tensors = {at(0, 1), at(1, 1), at(2, std::nextafter(1.0F, 2.0F))},
                  .whole = whole});
  }
};

TEST_F(UnchangedTest, PassesTheWastedFirstStep) {
  for (const bool whole : {true, false}) {
    add(whole);
    Check check = tensor_check_of(Relation::unchanged, "*");
    check.steps = range(1, 1);
    const CheckResult result = judge(check, arms);
    EXPECT_TRUE(result.passed) << result.sentence;
    EXPECT_EQ(result.verdict, Verdict::identical);
    EXPECT_EQ(result.sentence, "param * of a has the bits of one step earlier at step 1 (1 tensor)");
  }
}

TEST_F(UnchangedTest, FindsOneUlpInOneElement) {
  for (const bool whole : {true, false}) {
    add(whole);
    Check check = tensor_check_of(Relation::unchanged, "*");
    check.steps = range(1, 2);
    const CheckResult result = judge(check, arms);
    EXPECT_FALSE(result.passed);
    EXPECT_THAT(result.sentence, HasSubstr("param w of a changed at step 2"));
  }
}

TEST_F(UnchangedTest, AStepWithoutTheOneBeforeIsMissing) {
  add_arm("a", {.channels = {{"lr", std::vector<double>{0, 1, 1}}}, .tensors = {at(0, 1), at(3, 1)}});
  Check check = tensor_check_of(Relation::unchanged, "*");
  check.steps = window(StepWindow::Kind::last);
  const CheckResult result = judge(check, arms);
  EXPECT_EQ(result.verdict, Verdict::missing);
  EXPECT_THAT(result.sentence, HasSubstr("recorded at step 3 but not at step 2"));
}

TEST_F(UnchangedTest, ChannelsCompareWithTheStepBefore) {
  add(true);
  Check check = check_of(Relation::unchanged, {"lr"});
  check.steps = range(3, 3);
  EXPECT_TRUE(judge(check, arms).passed);
  check.steps = range(2, 3);
  const CheckResult result = judge(check, arms);
  EXPECT_FALSE(result.passed);
  EXPECT_THAT(result.sentence, HasSubstr("first at step 2: 0 at step 1, 0.5 at step 2"));
  check.steps = range(1, 1);
  EXPECT_EQ(judge(check, arms).verdict, Verdict::missing);
}

}  // namespace
}  // namespace parity::compare
