// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/logs/compare/compare_logs.hpp"

#include <cmath>

#include "tests/harness/logs/log_fixture.hpp"

namespace parity::logs {
namespace {

using testing::Contains;
using testing::HasSubstr;

/// Returns a log of `count` steps from `first` on, `every` apart. Value i is that of update i * every.
Log curve(int64_t first, int64_t count, int64_t every = 1, const std::string& name = "loss") {
  Log log{"x", "test", {}, {}};
  LogChannel channel;
  for (int64_t i = 0; i < count; ++i) {
    channel.steps.push_back(first + i * every);
    channel.values.push_back(1.0 / static_cast<double>(2 + i * every));
  }
  log.channels[name] = channel;
  return log;
}

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

TEST(CompareLogs, FewCommonSteps_AreMissing) {
  // Steps 1, 8, 15, ... and 1, 10, 19, ... : the common ones agree, yet most were not compared.
  const Log a = curve(1, 19, 7), b = curve(1, 15, 9);
  EXPECT_EQ(compare_logs(a, b, {}).exit_code(), ExitCode::missing);
}

TEST(CompareLogs, EveryTenthStep_IsCompared) {
  const LogDifference found = compare_logs(curve(1, 100), curve(1, 10, 10), {});
  EXPECT_EQ(found.exit_code(), ExitCode::agree);
  EXPECT_THAT(found.notes,
              Contains("10 common steps compared; 90 of the first and 0 of the second are left out"));
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

TEST(CompareLogs, LossOfOneSideOnly_IsMissing) {
  Log a = curve(1, 10, 1, "lr");
  const Log b = a;
  a.channels["loss"] = curve(1, 10).channels["loss"];
  const LogDifference found = compare_logs(a, b, {});
  EXPECT_EQ(found.exit_code(), ExitCode::missing);
  EXPECT_THAT(found.notes, Contains("only the first has loss"));
  LogFilter only;
  only.channels = {"lr"};
  EXPECT_EQ(compare_logs(a, b, only).exit_code(), ExitCode::agree);
}

TEST(CompareLogs, TimingChannels_AreNotCompared) {
  Log a = curve(1, 10), b = curve(1, 10);
  a.channels["time"] = b.channels["time"] = a.channels["loss"];
  a.channels["time"].kind = b.channels["time"].kind = trace::ChannelKind::timing;
  b.channels["time"].values[0] = 7;
  const LogDifference found = compare_logs(a, b, {});
  EXPECT_EQ(found.exit_code(), ExitCode::agree);
  EXPECT_EQ(found.channels.size(), 1U);
}

}  // namespace
}  // namespace parity::logs
