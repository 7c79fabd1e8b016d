// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/logs/compare/compare_logs.hpp"

#include <cmath>

#include "tests/harness/logs/curve_fixture.hpp"

namespace parity::logs {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

TEST(CompareLogs, SameCurves_Agree) {
  EXPECT_EQ(compare_logs(curve(1, 10), curve(1, 10), {}).exit_code(), ExitCode::agree);
}

TEST(CompareLogs, OneBit_Differs) {
  Log other = curve(1, 10);
  double& value = other.channels["loss"].values[3];
  value = std::nextafter(value, 1.0);
  const LogDifference found = compare_logs(curve(1, 10), other, {});
  EXPECT_EQ(found.exit_code(), ExitCode::differ);
  EXPECT_EQ(found.channels.at(0).difference.first, 3U);
}

TEST(CompareLogs, Nan_AgreesWithNothing) {
  Log log = curve(1, 10);
  log.channels["loss"].values[3] = std::nan("");
  EXPECT_EQ(compare_logs(log, log, {}).exit_code(), ExitCode::differ);
}

TEST(CompareLogs, NothingInCommon_IsMissing) {
  for (const Log& other : {curve(101, 10), curve(1, 10, 1, "other")}) {
    try {
      compare_logs(curve(1, 10), other, {});
      ADD_FAILURE() << "compared nothing";
    } catch (const UserError& error) {
      EXPECT_EQ(error.code(), ExitCode::missing);
      EXPECT_THAT(error.what(), HasSubstr("in common"));
    }
  }
}

TEST(CompareLogs, ShorterRun_IsNotAgreement) {
  const LogDifference found = compare_logs(curve(1, 100), curve(1, 10), {});
  EXPECT_EQ(found.exit_code(), ExitCode::differ);
  EXPECT_THAT(found.mismatch, HasSubstr("loss of the first ends at step 100, the second's at step 10"));
  LogFilter partial;
  partial.partial = true;
  EXPECT_EQ(compare_logs(curve(1, 100), curve(1, 10), partial).exit_code(), ExitCode::agree);
}

TEST(CompareLogs, LossThatStopsEarly_IsNotAgreement) {
  Log a = curve(1, 100), b = curve(1, 10);
  a.channels["lr"] = b.channels["lr"] = curve(1, 100).channels["loss"];
  const LogDifference found = compare_logs(a, b, {});
  EXPECT_EQ(found.exit_code(), ExitCode::differ);
  EXPECT_THAT(found.mismatch, HasSubstr("loss of the first ends"));
}

TEST(CompareLogs, CountedFromZero_IsMovedAndSaid) {
  for (const int64_t first : {0, 1}) {
    const LogDifference found = compare_logs(curve(first, 10), curve(1 - first, 10), {});
    EXPECT_EQ(found.exit_code(), ExitCode::agree);
    EXPECT_THAT(found.notes, Contains(HasSubstr("the second from")));
  }
}

TEST(CompareLogs, LateLearningRate_IsNoNumbering) {
  Log a = curve(0, 10, 1, "lr"), b = curve(1, 10, 1, "lr");
  EXPECT_EQ(compare_logs(a, b, {}).exit_code(), ExitCode::differ);
  // With a loss that does not move along, neither.
  a.channels["loss"] = b.channels["loss"] = curve(1, 9).channels["loss"];
  EXPECT_EQ(compare_logs(a, b, {}).exit_code(), ExitCode::differ);
}

TEST(CompareLogs, NumberingOfEveryTenthStep_IsMoved) {
  const LogDifference found = compare_logs(curve(9, 10, 10), curve(10, 10, 10), {});
  EXPECT_EQ(found.exit_code(), ExitCode::agree);
  EXPECT_THAT(found.notes, Contains(HasSubstr("steps 9 and 10 come first")));
  // Runs that start in the middle do not count from 0 or 1.
  EXPECT_EQ(compare_logs(curve(20, 10), curve(21, 10), {}).exit_code(), ExitCode::differ);
}

TEST(CompareLogs, Verdict_SaysWhatWasCompared) {
  Log a = curve(1, 100);
  const Log b = curve(1, 10, 10);
  a.channels["eval_loss"] = a.channels["loss"];
  EXPECT_EQ(compare_logs(a, b, {}).verdict(),
            "identical: 1 common channel agrees in every digit that both sides hold, at 10 common steps (the "
            "first has 100, the second 10); only the first has eval_loss");
  EXPECT_EQ(compare_logs(b, b, {}).verdict(),
            "identical: 1 common channel agrees in every digit that both sides hold, at all 10 steps");
}

TEST(CompareLogs, Clocks_AreNotCompared) {
  Log a = curve(1, 10), b = curve(1, 10);
  a.channels["time"] = b.channels["time"] = a.channels["loss"];
  a.channels["time"].kind = b.channels["time"].kind = trace::ChannelKind::timing;
  b.channels["time"].values[0] = 7;
  LogFilter filter;
  const LogDifference found = compare_logs(a, b, filter);
  EXPECT_EQ(found.exit_code(), ExitCode::agree);
  EXPECT_EQ(found.channels.size(), 1U);
  EXPECT_THAT(found.notes, Contains(StartsWith("time is not compared")));
  filter.channels = {"*"};  // still none of its own
  EXPECT_EQ(compare_logs(a, b, filter).exit_code(), ExitCode::agree);
  filter.channels = {"loss", "time"};
  EXPECT_EQ(compare_logs(a, b, filter).exit_code(), ExitCode::differ);
}

}  // namespace
}  // namespace parity::logs
