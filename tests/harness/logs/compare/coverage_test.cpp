// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Logs that agree at too few steps, or in channels that prove too little, are not called equal.
#include "harness/logs/compare/coverage.hpp"

#include <cmath>

#include "harness/logs/compare/compare_logs.hpp"
#include "tests/harness/logs/curve_fixture.hpp"

namespace parity::logs {
namespace {

using testing::HasSubstr;

LogFilter partial() {
  LogFilter filter;
  filter.partial = true;
  return filter;
}

LogFilter only(const std::string& channel) {
  LogFilter filter;
  filter.channels = {channel};
  return filter;
}

/// Expects that equal values at these steps are too few, and that --partial accepts them.
void expect_too_few(const Log& a, const Log& b, const std::string& what) {
  const LogDifference found = compare_logs(a, b, {});
  EXPECT_EQ(found.exit_code(), ExitCode::missing) << found.verdict();
  EXPECT_THAT(found.verdict(), HasSubstr(what));
  EXPECT_EQ(compare_logs(a, b, partial()).exit_code(), ExitCode::agree);
}

TEST(Coverage, TwoSparseLogs_AreTooFew) {
  expect_too_few(curve_at({10, 500, 990, 1000}), curve_at({10, 490, 980, 1000}),
                 "only 2 steps of loss are in both logs, which have 4 and 4 steps between step 10 and 1000");
}

TEST(Coverage, IntervalsWithFewCommonSteps_AreTooFew) {
  // Steps 1, 8, 15, ... and 1, 10, 19, ...
  std::vector<int64_t> sevens, nines;
  for (int64_t step = 1; step < 130; ++step) {
    if (step % 7 == 1)
      sevens.push_back(step);
    if (step % 9 == 1)
      nines.push_back(step);
  }
  expect_too_few(curve_at(sevens), curve_at(nines), "only 3 steps");
}

TEST(Coverage, TwoPointsOfALongLog_AreTooFew) {
  std::vector<int64_t> all;
  for (int64_t step = 1; step <= 1000; ++step)
    all.push_back(step);
  expect_too_few(curve_at(all), curve_at({1, 1000}), "only 2 steps");
  expect_too_few(curve_at({1, 1000}), curve_at(all), "only 2 steps");
}

TEST(Coverage, HoleInTheMiddle_IsTooFew) {
  std::vector<int64_t> all, ends;
  for (int64_t step = 1; step <= 1000; ++step) {
    all.push_back(step);
    if (step <= 100 || step > 900)
      ends.push_back(step);
  }
  expect_too_few(curve_at(all), curve_at(ends), "only 200 steps");
}

TEST(Coverage, KeyLeftOutOnOneSide_IsMissing) {
  Log a = curve(1, 12), b = a;
  a.channels["grad_norm"] = b.channels["grad_norm"] = curve(1, 12).channels["loss"];
  LogChannel& grad_norm = b.channels["grad_norm"];
  grad_norm.steps.erase(grad_norm.steps.begin() + 6);
  grad_norm.values.erase(grad_norm.values.begin() + 6);
  expect_too_few(a, b, "grad_norm of the second log has no value at 1 step that the log has, first 7");
  expect_too_few(b, a, "grad_norm of the first log has no value at 1 step that the log has, first 7");
  EXPECT_THAT(compare_logs(a, b, {}).verdict(),
              HasSubstr("at all 12 steps, 'grad_norm' at 11 common steps (the first has 12, the second 11)"));
  // Both leave it out: the trainer skipped that update.
  EXPECT_EQ(compare_logs(b, b, {}).exit_code(), ExitCode::agree);
}

TEST(Coverage, ChannelOfAnotherInterval_IsEnough) {
  Log a = curve(1, 100), b = curve(1, 100);
  a.channels["grad_norm"] = curve(1, 100).channels["loss"];
  b.channels["grad_norm"] = curve(1, 10, 10).channels["loss"];
  const LogDifference found = compare_logs(a, b, {});
  EXPECT_EQ(found.exit_code(), ExitCode::agree) << found.verdict();
  EXPECT_THAT(found.verdict(),
              HasSubstr("'grad_norm' at 10 common steps (the first has 100, the second 10)"));
}

TEST(Coverage, EveryTenthStep_IsEnough) {
  const LogDifference found = compare_logs(curve(1, 100), curve(1, 10, 10), {});
  EXPECT_EQ(found.exit_code(), ExitCode::agree);
  EXPECT_EQ(found.steps, (StepCounts{10, 100, 10}));
}

TEST(Coverage, SameFewSteps_AreEnough) {
  EXPECT_EQ(compare_logs(curve_at({1, 2}), curve_at({1, 2}), {}).exit_code(), ExitCode::agree);
}

TEST(Coverage, LateStart_IsSaid) {
  const LogDifference found = compare_logs(curve(1, 100), curve_at({1, 2}), {});
  EXPECT_EQ(found.exit_code(), ExitCode::differ);
  const LogDifference late = compare_logs(curve_at({1, 2, 3, 4, 5, 6}), curve_at({4, 5, 6}), {});
  EXPECT_EQ(late.exit_code(), ExitCode::differ);
  EXPECT_THAT(late.mismatch, HasSubstr("--partial compares from step 4"));
  EXPECT_EQ(compare_logs(curve_at({1, 2, 3, 4, 5, 6}), curve_at({4, 5, 6}), partial()).exit_code(),
            ExitCode::agree);
}

TEST(Coverage, FirstStepMissing_IsDifferent) {
  // Logs of every step that end at the same step. Counting from 0 or 1 explains none of them.
  for (const int64_t first : {0, 1, 7})
    for (const bool in_second : {true, false}) {
      const Log whole = curve_at({first, first + 1, first + 2, first + 3, first + 4});
      const Log late = curve_at({first + 1, first + 2, first + 3, first + 4});
      const Log& a = in_second ? whole : late;
      const Log& b = in_second ? late : whole;
      const LogDifference found = compare_logs(a, b, {});
      EXPECT_EQ(found.exit_code(), ExitCode::differ) << found.verdict();
      EXPECT_THAT(found.mismatch, HasSubstr("--partial compares from step " + std::to_string(first + 1)));
      EXPECT_EQ(compare_logs(a, b, partial()).exit_code(), ExitCode::agree);
    }
}

TEST(Coverage, FirstStepOfOneChannelMissing_IsDifferent) {
  Log a = curve(1, 12), b = a;
  a.channels["grad_norm"] = b.channels["grad_norm"] = curve(1, 12).channels["loss"];
  LogChannel& grad_norm = b.channels["grad_norm"];
  grad_norm.steps.erase(grad_norm.steps.begin());
  grad_norm.values.erase(grad_norm.values.begin());
  EXPECT_THAT(compare_logs(a, b, {}).mismatch, HasSubstr("grad_norm of the first begins at step 1, the "
                                                         "second's at step 2"));
}

TEST(Coverage, StepOneBesideWholeIntervals_IsEnough) {
  // Every tenth step, of which one log has step 1 too: it is less than an interval before step 10.
  EXPECT_EQ(compare_logs(curve_at({1, 10, 20, 30}), curve_at({10, 20, 30}), {}).exit_code(), ExitCode::agree);
}

TEST(Evidence, TrainingChannelOfOneSide_IsMissing) {
  for (const char* name : {"loss", "grad_norm", "lr"})
    for (const bool first : {true, false}) {
      Log a = curve(1, 10, 1, "eval_loss"), b = a;
      (first ? a : b).channels[name] = a.channels["eval_loss"];
      const LogDifference found = compare_logs(a, b, {});
      EXPECT_EQ(found.exit_code(), ExitCode::missing) << name;
      EXPECT_THAT(found.verdict(), HasSubstr(std::string("log has ") + name));
      EXPECT_EQ(compare_logs(a, b, only("eval_loss")).exit_code(), ExitCode::agree);
    }
}

TEST(Evidence, LearningRateAlone_IsMissing) {
  const Log log = curve(1, 10, 1, "lr");
  const LogDifference found = compare_logs(log, log, {});
  EXPECT_EQ(found.exit_code(), ExitCode::missing);
  EXPECT_THAT(found.missing, HasSubstr("neither log has a loss, and lr can agree"));
  EXPECT_EQ(compare_logs(log, log, only("lr")).exit_code(), ExitCode::agree);
  const Log unknown = curve(1, 10, 1, "Value");
  EXPECT_EQ(compare_logs(unknown, unknown, {}).exit_code(), ExitCode::missing);
}

TEST(Evidence, ConstantLoss_IsMissing) {
  Log log = curve(1, 10);
  log.channels["loss"].values.assign(10, 0.0);
  const LogDifference found = compare_logs(log, log, {});
  EXPECT_EQ(found.exit_code(), ExitCode::missing);
  EXPECT_THAT(found.missing, HasSubstr("loss never changes"));
}

TEST(Evidence, LossOfNan_IsMissing) {
  Log log = curve(1, 10);
  log.channels["loss"].values.assign(10, std::nan(""));
  LogFilter filter;
  filter.policy.nan = measure::DifferencePolicy::Nan::equal_if_both;
  EXPECT_EQ(compare_logs(log, log, filter).exit_code(), ExitCode::missing);
  EXPECT_EQ(compare_logs(log, log, {}).exit_code(), ExitCode::differ);
}

}  // namespace
}  // namespace parity::logs
