// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "harness/suite/plan/capture_needs.hpp"
#include "harness/suite/plan/run_rules.hpp"

namespace parity::suite {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// How many updates a case may have, and how many of them a check of tensors reads.
class StepBoundsTest : public testing::Test {
 protected:
  void TearDown() override { ::unsetenv(most_steps_variable); }

  static void check_steps(int64_t steps) {
    Arm arm;
    arm.name = "a";
    PlannedRun run;
    run.steps = steps;
    run.config = {{"steps", steps}};
    check_run(arm, run);
  }
  static compare::Check tensors(compare::Relation relation, compare::StepWindow window = {}) {
    compare::Check check;
    check.tensor = "*";
    check.phase = trace::Phase::grad;
    check.relation = relation;
    check.steps = window;
    return check;
  }
  static std::vector<int64_t> steps_of(const compare::Check& check, int64_t steps) {
    const trace::Capture capture = needs_of_check(check, {steps, 2});
    return capture.sketches.empty() ? std::vector<int64_t>() : capture.sketches.front().steps;
  }
  static compare::StepWindow range(int64_t first, int64_t last) {
    compare::StepWindow window;
    window.kind = compare::StepWindow::Kind::range;
    window.first = first;
    window.last = last;
    return window;
  }
};

TEST_F(StepBoundsTest, StepsBeyondTheBound_AreRefused) {
  EXPECT_NO_THROW(check_steps(1'000'000));
  EXPECT_THAT([] { check_steps(900'000'000); },
              ThrowsMessage<UserError>(AllOf(HasSubstr("steps = 900000000"), HasSubstr("1000000)"),
                                             HasSubstr("PARITY_MAX_STEPS=N"))));
}

TEST_F(StepBoundsTest, TheVariable_MovesTheBound) {
  ::setenv(most_steps_variable, "20", 1);
  EXPECT_NO_THROW(check_steps(20));
  EXPECT_THAT([] { check_steps(21); }, ThrowsMessage<UserError>(HasSubstr("limit is 20")));
  for (const char* bad : {"0", "-1", "1e6", "many", "9223372036854775808"}) {
    ::setenv(most_steps_variable, bad, 1);
    EXPECT_THAT([] { check_steps(1); }, ThrowsMessage<UserError>(HasSubstr("invalid PARITY_MAX_STEPS '")))
        << bad;
  }
}

TEST_F(StepBoundsTest, ACheckOfTooManyTensors_IsRefused) {
  EXPECT_EQ(steps_of(tensors(compare::Relation::identical), most_captured_steps).size(), 10'000U);
  EXPECT_THAT(
      [] { steps_of(tensors(compare::Relation::identical), most_captured_steps + 1); },
      ThrowsMessage<UserError>(AllOf(HasSubstr("10001 updates"), HasSubstr("steps = [FIRST, LAST]"))));
  CaptureSpec spec;
  spec.steps.resize(10'001, 1);
  EXPECT_THROW(needs_of_capture(spec), UserError);
}

TEST_F(StepBoundsTest, AWindow_IsCutAtTheRunsEnd) {
  EXPECT_EQ(steps_of(tensors(compare::Relation::identical, range(1, 900'000'000)), 3),
            (std::vector<int64_t>{1, 2, 3}));
  EXPECT_TRUE(steps_of(tensors(compare::Relation::identical, range(5, 9)), 3).empty());
}

TEST_F(StepBoundsTest, UnchangedAndLagged_ReadMore) {
  EXPECT_EQ(steps_of(tensors(compare::Relation::unchanged, range(3, 4)), 9), (std::vector<int64_t>{2, 3, 4}));
  compare::Check lagged = tensors(compare::Relation::lagged, range(2, 3));
  lagged.lag = 3;
  EXPECT_EQ(steps_of(lagged, 5), (std::vector<int64_t>{2, 3, 5}));
}

}  // namespace
}  // namespace parity::suite
