// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// pandas and exports that are built on it write NaN as an empty cell.
#include "harness/logs/read/empty_cells.hpp"

#include <cmath>

#include <fmt/format.h>

#include "harness/logs/compare/compare_logs.hpp"
#include "tests/harness/logs/log_fixture.hpp"

namespace parity::logs {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// Returns a table of 12 steps, where the cells of `column` at `steps` are empty.
Log table_without(const std::string& column, const std::vector<int>& steps) {
  std::string text = "step,loss,grad_norm\n";
  for (int step = 1; step <= 12; ++step) {
    const auto cell = [&](const std::string& name, double value) {
      const bool empty = name == column && std::ranges::find(steps, step) != steps.end();
      return empty ? std::string() : fmt::format("{}", value);
    };
    text += fmt::format("{},{},{}\n", step, cell("loss", 1 + std::exp(-step)),
                        cell("grad_norm", 1 + std::exp(-2 * step)));
  }
  return table(text);
}

TEST(EmptyCells, NanOfPandas_AgreesWithNothing) {
  const Log whole = table_without("", {});
  EXPECT_EQ(compare_logs(whole, whole, {}).exit_code(), ExitCode::agree);
  for (const char* column : {"loss", "grad_norm"}) {
    const Log other = table_without(column, {7});
    EXPECT_TRUE(std::isnan(other.channels.at(column).values.at(6))) << column;
    EXPECT_THAT(other.notes, Contains(HasSubstr("is empty at 1 step, first 7, and counts as NaN")));
    EXPECT_EQ(compare_logs(whole, other, {}).exit_code(), ExitCode::differ) << column;
    EXPECT_EQ(compare_logs(other, whole, {}).exit_code(), ExitCode::differ) << column;
    EXPECT_EQ(compare_logs(other, other, {}).exit_code(), ExitCode::differ) << column;
    LogFilter filter;
    filter.policy.nan = measure::DifferencePolicy::Nan::equal_if_both;
    EXPECT_EQ(compare_logs(other, other, filter).exit_code(), ExitCode::agree) << column;
  }
}

TEST(EmptyCells, LossThatStaysNan_AgreesWithNothing) {
  const Log diverged = table_without("loss", {10, 11, 12});
  EXPECT_EQ(compare_logs(diverged, diverged, {}).exit_code(), ExitCode::differ);
  EXPECT_EQ(compare_logs(table_without("", {}), diverged, {}).exit_code(), ExitCode::differ);
}

TEST(EmptyCells, FirstCellOfOneSide_IsALaterBegin) {
  const LogDifference found = compare_logs(table_without("", {}), table_without("loss", {1}), {});
  EXPECT_EQ(found.exit_code(), ExitCode::differ);
  EXPECT_THAT(found.mismatch, HasSubstr("loss of the first begins at step 1, the second's at step 2"));
  EXPECT_THAT(found.missing,
              HasSubstr("loss of the second log has no value at 1 step that the log has, first 1"));
}

TEST(EmptyCells, RowWithoutANumber_IsNanToo) {
  const Log log = table("step,loss\n1,4\n2,3\n3,\n4,2\n");
  EXPECT_THAT(log.channels.at("loss").steps, ElementsAre(1, 2, 3, 4));
  EXPECT_TRUE(std::isnan(log.channels.at("loss").values.at(2)));
}

TEST(EmptyCells, SparseColumn_StaysSparse) {
  std::string text = "step,loss,eval_loss,epoch\n";
  for (int step = 1; step <= 450; ++step)
    text += fmt::format("{},{},{},{}\n", step, 1.0 / (3 + step),
                        step % 100 == 0 ? fmt::format("{}", 1.0 / (7 + step)) : "", step / 450.0);
  const Log log = table(text);
  EXPECT_THAT(log.channels.at("eval_loss").steps, ElementsAre(100, 200, 300, 400));
  EXPECT_EQ(log.notes, std::vector<std::string>());
  EXPECT_EQ(compare_logs(log, log, {}).exit_code(), ExitCode::agree);
}

TEST(EmptyCells, RowsOfEvaluations_NeedNoLoss) {
  // Loggers that count calls give an evaluation a number between two updates, others one behind the last
  // update.
  const Log log = table("_step,loss,eval_loss,epoch\n0,4,,0\n1,3,,0\n2,,3.5,0\n3,2.5,,0\n4,2,,0\n5,,2.5,0\n");
  EXPECT_THAT(log.channels.at("loss").steps, ElementsAre(0, 1, 3, 4));
  EXPECT_THAT(log.notes, Not(Contains(HasSubstr("NaN"))));
  EXPECT_EQ(compare_logs(log, log, {}).exit_code(), ExitCode::agree);
}

TEST(EmptyCells, LastRowAlone_StaysEmpty) {
  // The rate of the next update, written behind the last loss.
  const Log log = table("step,loss,lr\n0,4,1\n1,3,2\n2,2,3\n3,,4\n");
  EXPECT_THAT(log.channels.at("loss").steps, ElementsAre(0, 1, 2));
}

TEST(EmptyCells, OneRowOfTwoKinds_IsWhole) {
  // The same step in two rows: one of training, one of evaluation.
  const Log log = table("step,loss,eval_loss\n1,4,\n1,,5\n2,3,\n2,,4\n3,2,\n3,,3\n");
  EXPECT_THAT(log.channels.at("loss").values, ElementsAre(4, 3, 2));
  EXPECT_THAT(log.channels.at("eval_loss").values, ElementsAre(5, 4, 3));
}

}  // namespace
}  // namespace parity::logs
