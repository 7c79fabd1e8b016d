// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/logs/channel_names.hpp"

#include <gmock/gmock.h>

namespace parity::logs {
namespace {

class ClockTest : public testing::TestWithParam<const char*> {};

TEST_P(ClockTest, Name_IsATimingChannel) {
  EXPECT_EQ(name_channel(GetParam(), {}).kind, trace::ChannelKind::timing);
  EXPECT_EQ(name_channel(GetParam(), {{GetParam(), "loss"}}).kind, trace::ChannelKind::numeric);
}

INSTANTIATE_TEST_SUITE_P(Logs, ClockTest,
                         testing::Values("time", "elapsed", "tok/s", "tps", "mfu", "mfu(%)", "memory",
                                         "memory/max_active(GiB)", "epoch_time", "train_steps_per_second",
                                         "elapsed time per iteration (ms)",
                                         "throughput per GPU (TFLOP/s/GPU)", "time_metrics/end_to_end(s)",
                                         "trainRuntime", "iter time (s)", "_timestamp", "Wall time",
                                         "tokens_per_second", "samples/sec"));

class NoClockTest : public testing::TestWithParam<const char*> {};

TEST_P(NoClockTest, Name_IsNumeric) {
  EXPECT_EQ(name_channel(GetParam(), {}).kind, trace::ChannelKind::numeric);
}

INSTANTIATE_TEST_SUITE_P(Logs, NoClockTest,
                         testing::Values("loss", "time_loss", "memory_loss", "second_moment", "timestep", "s",
                                         "params norm", "tokens", "epoch", "loss scale", "train/z_loss"));

TEST(StepRank, Names_AreOrdered) {
  EXPECT_LT(*step_rank("step", {}), *step_rank("_step", {}));
  EXPECT_LT(*step_rank("trainer/global_step", {}), *step_rank("_step", {}));
  EXPECT_EQ(step_rank("loss", {}), std::nullopt);
  EXPECT_EQ(step_rank("mine", {{"mine", "step"}}), 0U);
}

}  // namespace
}  // namespace parity::logs
