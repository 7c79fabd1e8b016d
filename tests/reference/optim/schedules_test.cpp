// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/optim/schedules/schedule.hpp"

namespace parity::reference {
namespace {

LrConfig titan(int64_t warmup, double decay_ratio = -1, DecayShape decay = DecayShape::linear,
               double min_factor = 0) {
  LrConfig lr;
  lr.warmup_steps = warmup;
  lr.decay_ratio = decay_ratio;
  lr.decay = decay;
  lr.min_factor = min_factor;
  return lr;
}

LrConfig family(ScheduleName name, int64_t warmup, int64_t first_index = 1) {
  LrConfig lr;
  lr.schedule = name;
  lr.warmup_steps = warmup;
  lr.first_index = first_index;
  return lr;
}

struct Row {
  const char* name;
  LrConfig lr;
  int64_t steps;
  std::vector<double> factors;
};

class ScheduleTable : public testing::TestWithParam<Row> {};

// Source: NUMERICS.md 1.2 and 1.4; six digits there.
TEST_P(ScheduleTable, FactorsAreThePublishedOnes) {
  const Schedule schedule = make_schedule(GetParam().lr, GetParam().steps);
  for (size_t c = 0; c < GetParam().factors.size(); ++c)
    EXPECT_NEAR(schedule.factor(static_cast<int64_t>(c)), GetParam().factors[c], 5e-7)
        << "update index " << c;
}

const std::vector<double> linear = {.5, 1, 1, .875, .75, .625, .5, .375, .25, .125, 0};
const std::vector<double> wsd = {.5, 1, 1, 1, 1, 1, .8, .6, .4, .2, 0};

INSTANTIATE_TEST_SUITE_P(
    Published, ScheduleTable,
    testing::Values(
        Row{"TitanLinear", titan(2), 10, linear}, Row{"TitanLinearRatio", titan(2, 0.8), 10, linear},
        Row{"TitanSqrt",
            titan(2, -1, DecayShape::sqrt),
            10,
            {.5, 1, 1, .646447, .5, .387628, .292893, .209431, .133975, .0645857, 0}},
        Row{"TitanCosine",
            titan(2, -1, DecayShape::cosine),
            10,
            {.5, 1, 1, .96194, .853553, .691342, .5, .308658, .146447, .0380602, 0}},
        Row{"TitanCosineLowest",
            titan(2, -1, DecayShape::cosine, .1),
            10,
            {.5, 1, 1, .965746, .868198, .722208, .55, .377792, .231802, .134254, .1}},
        Row{"TitanLinearLowest",
            titan(2, -1, DecayShape::linear, .2),
            10,
            {.5, 1, 1, .9, .8, .7, .6, .5, .4, .3, .2}},
        Row{"TitanStable", titan(2, 0.5), 10, wsd},
        Row{"WarmupExceedsTraining", titan(10), 5, {.2, .4, .6, .8, 1.0}},
        Row{"StableOnly", titan(2, 0.0), 10, {.5, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
        Row{"WarmupAndDecayExceedTraining", titan(5, 0.8), 10, {.2, .4, .6, .8, 1, 1, .8, .6, .4, .2}},
        Row{"TitanWithoutWarmup", titan(0), 4, {1, .75, .5, .25, 0}},
        Row{"HuggingFaceLinear",
            family(ScheduleName::hugging_face_linear, 2),
            10,
            {0, .5, 1, .875, .75, .625, .5, .375, .25, .125, 0, 0}},
        Row{"HuggingFaceWithoutWarmup",
            family(ScheduleName::hugging_face_linear, 0),
            4,
            {1, .75, .5, .25, 0}},
        Row{"WarmupFromOne", family(ScheduleName::warmup_linear, 2), 10, {.5, 1, 1, 1, 1, 1}},
        Row{"WarmupFromZero", family(ScheduleName::warmup_linear, 2, 0), 10, {0, .5, 1, 1, 1, 1}},
        Row{"NoWarmup", family(ScheduleName::warmup_linear, 0, 0), 10, {1, 1, 1}}),
    [](const auto& instance) { return instance.param.name; });

TEST(ScheduleTest, TitanAndHuggingFaceAgreeFromTheEndOfWarmup) {
  for (const int64_t warmup : {0, 1, 2, 5, 9}) {
    const Schedule ours = make_schedule(titan(warmup), 10);
    const Schedule theirs = make_schedule(family(ScheduleName::hugging_face_linear, warmup), 10);
    for (int64_t c = warmup; c <= 10; ++c)
      EXPECT_NEAR(ours.factor(c), theirs.factor(c), 1e-15) << "warmup " << warmup << " index " << c;
    for (int64_t c = 0; c < warmup; ++c)
      EXPECT_EQ(ours.factor(c), theirs.factor(c + 1)) << "warmup " << warmup << " index " << c;
  }
}

TEST(ScheduleTest, TotalStepsCanBeLongerThanTheRun) {
  LrConfig lr = titan(2);
  lr.total_steps = 1000;
  EXPECT_NEAR(make_schedule(lr, 10).factor(9), 1 - 7.0 / 998, 1e-15);
}

TEST(ScheduleTest, WarnsOfEveryAdjustment) {
  EXPECT_THAT(make_schedule(titan(2, 0.5), 10).warnings, testing::IsEmpty());
  EXPECT_THAT(make_schedule(titan(10), 5).warnings,
              testing::ElementsAre(testing::HasSubstr("lr.warmup_steps = 10 exceeds the 5 steps")));
  EXPECT_THAT(make_schedule(titan(5, 0.8), 10).warnings,
              testing::ElementsAre(
                  testing::HasSubstr("decay (8) exceed the 10 steps of the schedule; decay lasts 5")));
}

TEST(ScheduleTest, DecayStepsRoundHalfToEven) {
  EXPECT_EQ(round_half_to_even(0.5), 0);
  EXPECT_EQ(round_half_to_even(1.5), 2);
  EXPECT_EQ(round_half_to_even(2.5), 2);
  EXPECT_EQ(round_half_to_even(2.51), 3);
  EXPECT_EQ(round_half_to_even(2.49), 2);
  // 5 steps of which half decay: 2, not 3, so the third update is still at the top.
  EXPECT_EQ(make_schedule(titan(0, 0.5), 5).factor(3), 1.0);
  EXPECT_EQ(make_schedule(titan(0, 0.5), 5).factor(4), 0.5);
}

}  // namespace
}  // namespace parity::reference
