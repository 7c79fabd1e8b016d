// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// A run that resumes goes back to an earlier step, and may die before it reaches the steps of the attempt
// before.
#include "harness/logs/read/attempts.hpp"

#include <fmt/format.h>

#include "harness/logs/compare/compare_logs.hpp"
#include "tests/harness/logs/log_fixture.hpp"

namespace parity::logs {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Returns JSON lines of the loss at steps.
std::string losses_at(const std::vector<int>& steps) {
  std::string text;
  for (const int step : steps)
    text += fmt::format("{{\"step\": {}, \"loss\": {}}}\n", step, 1.0 / (1 + step));
  return text;
}

TEST(Attempts, ResumeThatDied_EndsTheLog) {
  const Log log = json_lines(losses_at({1, 2, 3, 4, 5, 6, 3, 4}));
  EXPECT_THAT(log.channels.at("loss").steps, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(log.notes, Contains("2 steps are repeated, first 3; the last value of each counts"));
  EXPECT_THAT(log.notes, Contains(HasSubstr("2 steps are left out, first 5: the run went back")));
  const LogDifference found = compare_logs(json_lines(losses_at({1, 2, 3, 4, 5, 6})), log, {});
  EXPECT_EQ(found.exit_code(), ExitCode::differ);
  EXPECT_THAT(found.mismatch, HasSubstr("ends at step 6, the second's at step 4"));
}

TEST(Attempts, ResumeThatEnded_IsWhole) {
  const Log log = json_lines(losses_at({1, 2, 3, 4, 3, 4, 5, 6}));
  EXPECT_THAT(log.channels.at("loss").steps, ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(log.notes, ElementsAre("2 steps are repeated, first 3; the last value of each counts"));
}

TEST(Attempts, EachResume_ReplacesThoseBefore) {
  EXPECT_THAT(json_lines(losses_at({1, 2, 3, 4, 5, 4, 5, 6, 7, 2, 3})).channels.at("loss").steps,
              ElementsAre(1, 2, 3));
  EXPECT_THAT(json_lines(losses_at({1, 2, 3, 4, 5, 2, 3, 4, 5, 6, 5})).channels.at("loss").steps,
              ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(json_lines(losses_at({1, 2, 3, 4, 1, 2})).channels.at("loss").steps, ElementsAre(1, 2));
}

TEST(Attempts, SparseChannel_LosesItsStaleValues) {
  // The evaluation of step 4 belongs to the attempt that was thrown away.
  const Log log = json_lines(losses_at({1, 2}) + "{\"step\": 2, \"eval_loss\": 7}\n" + losses_at({3, 4}) +
                             "{\"step\": 4, \"eval_loss\": 6}\n" + losses_at({5, 6, 3, 4, 5}));
  EXPECT_THAT(log.channels.at("eval_loss").steps, ElementsAre(2));
  EXPECT_THAT(log.channels.at("loss").steps, ElementsAre(1, 2, 3, 4, 5));
}

TEST(Attempts, RowPerValue_IsOneResume) {
  // As TensorBoard's events: a row has one name.
  std::string text;
  for (const int step : {1, 2, 3, 4, 2, 3})
    for (const char* name : {"loss", "lr"})
      text += fmt::format("{{\"step\": {}, \"{}\": {}}}\n", step, name, step);
  const Log log = json_lines(text);
  EXPECT_THAT(log.channels.at("loss").steps, ElementsAre(1, 2, 3));
  EXPECT_THAT(log.channels.at("lr").steps, ElementsAre(1, 2, 3));
}

TEST(Attempts, OtherIntervals_AreReplacedToo) {
  EXPECT_THAT(json_lines(losses_at({10, 20, 30, 40, 50, 25, 35})).channels.at("loss").steps,
              ElementsAre(10, 20, 25, 35));
}

TEST(Attempts, LateEvaluation_IsNoResume) {
  const Log log = json_lines(losses_at({1, 2, 3}) + "{\"step\": 2, \"eval_loss\": 7}\n" + losses_at({4, 5}) +
                             "{\"step\": 4, \"eval_loss\": 6}\n");
  EXPECT_THAT(log.channels.at("loss").steps, ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(log.channels.at("eval_loss").steps, ElementsAre(2, 4));
  EXPECT_THAT(log.notes, IsEmpty());
}

TEST(Attempts, OtherOrders_KeepEveryValue) {
  for (const std::vector<int>& steps : {std::vector<int>{5, 4, 3, 2, 1}, {1, 2, 3, 10, 11, 12, 4, 5, 6}}) {
    const Log log = json_lines(losses_at(steps));
    EXPECT_EQ(log.channels.at("loss").steps.size(), steps.size());
    EXPECT_TRUE(std::ranges::is_sorted(log.channels.at("loss").steps));
    EXPECT_THAT(log.notes, IsEmpty());
  }
}

}  // namespace
}  // namespace parity::logs
