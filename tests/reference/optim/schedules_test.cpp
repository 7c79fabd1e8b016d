// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/optim/schedules/schedule.hpp"
#include "tests/reference/optim/schedule_configs.hpp"

namespace parity::reference {
namespace {

using enum ScheduleName;

struct Row {
  const char* name;
  RunConfig config;
  std::vector<double> factors;
};

class ScheduleTable : public testing::TestWithParam<Row> {};

// Source: NUMERICS.md 1.2 and 1.4; six digits there.
TEST_P(ScheduleTable, FactorsAreThePublishedOnes) {
  RunConfig config = GetParam().config;
  config.lr.base = 0.1;
  const Schedule schedule = make_schedule(config);
  for (size_t c = 0; c < GetParam().factors.size(); ++c)
    EXPECT_NEAR(schedule.lr(static_cast<int64_t>(c)), 0.1 * GetParam().factors[c], 5e-8)
        << "update index " << c;
}

RunConfig titan_of(int64_t warmup, double ratio = -1, DecayShape decay = DecayShape::linear,
                   double lowest = 0, int64_t steps = 10) {
  return family(titan, warmup, steps, {.decay_ratio = ratio, .decay = decay, .min_factor = lowest});
}

const std::vector<double> linear = {.5, 1, 1, .875, .75, .625, .5, .375, .25, .125, 0};
const std::vector<double> linear_from_zero = {0, .5, 1, .875, .75, .625, .5, .375, .25, .125, 0};
const std::vector<double> wsd = {.5, 1, 1, 1, 1, 1, .8, .6, .4, .2, 0};
const std::vector<double> cosine_from_zero = {0,  .5,      1,       .96194,   .853553, .691342,
                                              .5, .308658, .146447, .0380602, 0};

INSTANTIATE_TEST_SUITE_P(
    Titan, ScheduleTable,
    testing::Values(
        Row{"Linear", titan_of(2), linear}, Row{"LinearRatio", titan_of(2, 0.8), linear},
        Row{"Sqrt",
            titan_of(2, -1, DecayShape::sqrt),
            {.5, 1, 1, .646447, .5, .387628, .292893, .209431, .133975, .0645857, 0}},
        Row{"Cosine",
            titan_of(2, -1, DecayShape::cosine),
            {.5, 1, 1, .96194, .853553, .691342, .5, .308658, .146447, .0380602, 0}},
        Row{"CosineLowest",
            titan_of(2, -1, DecayShape::cosine, .1),
            {.5, 1, 1, .965746, .868198, .722208, .55, .377792, .231802, .134254, .1}},
        Row{"LinearLowest",
            titan_of(2, -1, DecayShape::linear, .2),
            {.5, 1, 1, .9, .8, .7, .6, .5, .4, .3, .2}},
        Row{"Stable", titan_of(2, 0.5), wsd},
        Row{"WarmupExceedsTraining", titan_of(10, -1, {}, 0, 5), {.2, .4, .6, .8, 1.0}},
        Row{"StableOnly", titan_of(2, 0.0), {.5, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
        Row{"WarmupAndDecayExceedTraining", titan_of(5, 0.8), {.2, .4, .6, .8, 1, 1, .8, .6, .4, .2}},
        Row{"WithoutWarmup", titan_of(0, -1, {}, 0, 4), {1, .75, .5, .25, 0}}),
    [](const auto& instance) { return instance.param.name; });

INSTANTIATE_TEST_SUITE_P(
    FromZero, ScheduleTable,
    testing::Values(
        Row{"HuggingFaceLinear", family(hugging_face_linear, 2), linear_from_zero},
        Row{"HuggingFaceWithoutWarmup", family(hugging_face_linear, 0, 4), {1, .75, .5, .25, 0}},
        Row{"HuggingFaceCosine", family(hugging_face_cosine, 2), cosine_from_zero},
        Row{"HuggingFaceWholeWave",
            family(hugging_face_cosine, 2, 10, {.num_cycles = 1}),
            {0, .5, 1, .853553, .5, .146447, 0, .146447, .5, .853553, 1}},
        Row{"VerlCosine", family(verl_cosine, 2), cosine_from_zero},
        Row{"VerlCosineLowest",
            family(verl_cosine, 2, 10, {.min_factor = .1, .init_factor = .1}),
            {.1, .55, 1, .965746, .868198, .722208, .55, .377792, .231802, .134254, .1, .134254}},
        Row{"VerlConstant", family(verl_constant, 2), {0, .5, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
        Row{"WarmupFromOne", family(warmup_linear, 2), {.5, 1, 1, 1, 1, 1}},
        Row{"WarmupFromZero", family(warmup_linear, 2, 10, {.first_index = 0}), {0, .5, 1, 1, 1, 1}},
        Row{"NoWarmup", family(warmup_linear, 0, 10, {.first_index = 0}), {1, 1, 1}}),
    [](const auto& instance) { return instance.param.name; });

RunConfig megatron_of(DecayShape decay, int64_t wsd_steps = 0, WsdDecay shape = {}) {
  return family(megatron, 2, 10, {.decay = decay, .wsd_steps = wsd_steps, .wsd_decay = shape});
}

INSTANTIATE_TEST_SUITE_P(
    Megatron, ScheduleTable,
    testing::Values(Row{"Linear", megatron_of(DecayShape::linear), linear_from_zero},
                    Row{"Cosine", megatron_of(DecayShape::cosine), cosine_from_zero},
                    Row{"Constant", megatron_of(DecayShape::constant), {0, .5, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
                    // By hand: sqrt(2 / c).
                    Row{"InverseSquareRoot",
                        megatron_of(DecayShape::inverse_square_root),
                        {0, .5, 1, .8164966, .7071068, .6324555, .5773503, .5345225, .5, .4714045, .4472136,
                         0}},
                    Row{"Wsd", megatron_of(DecayShape::wsd, 5), {0, .5, 1, 1, 1, 1, .8, .6, .4, .2, 0}},
                    Row{"WsdExponential",
                        megatron_of(DecayShape::wsd, 2, WsdDecay::exponential),
                        {0, .5, 1, 1, 1, 1, 1, 1, 1, .4142136, 0}},
                    Row{"WsdMinusSqrt",
                        megatron_of(DecayShape::wsd, 4, WsdDecay::minus_sqrt),
                        {0, .5, 1, 1, 1, 1, 1, .5, .2928932, .1339746, 0}},
                    Row{"WsdCosine",
                        megatron_of(DecayShape::wsd, 4, WsdDecay::cosine),
                        {0, .5, 1, 1, 1, 1, 1, .8535534, .5, .1464466, 0}},
                    Row{"FirstAndLowest",
                        family(megatron, 2, 10, {.min_factor = .2, .init_factor = .5}),
                        {.5, .75, 1, .9, .8, .7, .6, .5, .4, .3, .2, .2}}),
    [](const auto& instance) { return instance.param.name; });

RunConfig deepspeed_of(DecayShape decay, WarmupShape warmup, int64_t steps_of_warmup = 2) {
  return family(deepspeed, steps_of_warmup, 10, {.decay = decay, .warmup = warmup});
}

INSTANTIATE_TEST_SUITE_P(
    DeepSpeed, ScheduleTable,
    testing::Values(
        Row{"Linear",
            deepspeed_of(DecayShape::linear, WarmupShape::linear),
            {0, 0, .5, 1, .875, .75, .625, .5, .375, .25, .125}},
        Row{"LinearLog",
            deepspeed_of(DecayShape::linear, WarmupShape::log),
            {0, 0, 1, 1, .875, .75, .625, .5, .375, .25, .125}},
        Row{"LongerLog",
            deepspeed_of(DecayShape::constant, WarmupShape::log, 4),
            {0, 0, .5, .7924813, 1, 1, 1, 1, 1, 1, 1}},  // by hand: log(c) / log(4)
        Row{"WarmupOfOneLastsTwo",
            deepspeed_of(DecayShape::linear, WarmupShape::linear, 1),
            {0, 0, .5, 1, .875, .75, .625, .5, .375, .25, .125}},
        // By hand: the cosine is one step before the iteration, which is one step after the update.
        Row{"Cosine",
            deepspeed_of(DecayShape::cosine, WarmupShape::linear),
            {0, 0, .5, .96194, .853553, .691342, .5, .308658, .146447, .0380602, 0}},
        Row{"CosineFirstAndLowest",
            family(deepspeed, 2, 10, {.decay = DecayShape::cosine, .min_factor = .1, .init_factor = .5}),
            {0, .5, .75, .965746, .868198, .722208, .55, .377792, .231802, .134254, .1, .1}},
        Row{"Lowest",
            family(deepspeed, 2, 10, {.min_factor = .2}),
            {.2, .2, .6, 1, .9, .8, .7, .6, .5, .4, .3, .2, .2}}),
    [](const auto& instance) { return instance.param.name; });

TEST(ScheduleTest, TotalStepsCanBeLongerThanTheRun) {
  RunConfig config = family(titan, 2);
  config.lr.base = 1;
  config.lr.total_steps = 1000;
  EXPECT_NEAR(make_schedule(config).lr(9), 1 - 7.0 / 998, 1e-15);
}

TEST(ScheduleTest, WarnsOfEveryAdjustment) {
  using testing::ElementsAre, testing::HasSubstr, testing::IsEmpty;
  EXPECT_THAT(make_schedule(titan_of(2, 0.5)).warnings, IsEmpty());
  EXPECT_THAT(make_schedule(titan_of(10, -1, {}, 0, 5)).warnings,
              ElementsAre(HasSubstr("lr.warmup_steps = 10 exceeds the 5 steps")));
  EXPECT_THAT(make_schedule(titan_of(5, 0.8)).warnings,
              ElementsAre(HasSubstr("decay (8) exceed the 10 steps of the schedule; decay lasts 5")));
  EXPECT_THAT(make_schedule(deepspeed_of({}, {}, 1)).warnings,
              ElementsAre(HasSubstr("warmup lasts 2 steps")));
}

TEST(ScheduleTest, WarnsOfAWarmupThatIsKeptAndNeverReachesTheTop) {
  for (const ScheduleName name : {hugging_face_linear, hugging_face_cosine, verl_cosine, deepspeed}) {
    const Schedule schedule = make_schedule(family(name, 12));
    EXPECT_THAT(schedule.warnings, testing::ElementsAre(testing::AllOf(
                                       testing::HasSubstr("lr.warmup_steps = 12 exceeds the 10 steps"),
                                       testing::HasSubstr(std::string(name_of(name)) + " keeps it"))));
    EXPECT_NEAR(schedule.lr(9), (name == deepspeed ? 8 : 9) / 12.0 * LrConfig{}.base, 1e-18);
  }
}

TEST(ScheduleTest, DecayStepsRoundHalfToEven) {
  EXPECT_EQ(round_half_to_even(0.5), 0);
  EXPECT_EQ(round_half_to_even(1.5), 2);
  EXPECT_EQ(round_half_to_even(2.5), 2);
  EXPECT_EQ(round_half_to_even(2.51), 3);
  EXPECT_EQ(round_half_to_even(2.49), 2);
  // 5 steps of which half decay: 2, not 3, so the third update is still at the top.
  RunConfig config = titan_of(0, 0.5, {}, 0, 5);
  config.lr.base = 1;
  EXPECT_EQ(make_schedule(config).lr(3), 1.0);
  EXPECT_EQ(make_schedule(config).lr(4), 0.5);
}

TEST(WeightDecayRampTest, RisesFromStartToEndOverTheRunWhateverTheCurve) {
  RunConfig config = family(megatron, 2, 8, {.total_steps = 100});
  EXPECT_FALSE(make_schedule(config).weight_decay);
  config.optimizer.weight_decay = 0.3;
  config.optimizer.weight_decay_start = 0.1;
  config.optimizer.weight_decay_ramp = WeightDecayRamp::linear;
  const auto linear_ramp = make_schedule(config).weight_decay;
  config.optimizer.weight_decay_ramp = WeightDecayRamp::cosine;
  const auto cosine_ramp = make_schedule(config).weight_decay;
  // By hand: 0.1 + 0.2 c / 8 and 0.1 + 0.1 (1 - cos(pi c / 8)).
  const std::vector<double> straight = {.1, .125, .15, .175, .2, .225, .25, .275, .3, .3};
  const std::vector<double> bent = {.1,       .1076120, .1292893, .1617317, .2,
                                    .2382683, .2707107, .2923880, .3,       .3};
  for (size_t c = 0; c < straight.size(); ++c) {
    EXPECT_NEAR(linear_ramp(static_cast<int64_t>(c)), straight[c], 1e-15);
    EXPECT_NEAR(cosine_ramp(static_cast<int64_t>(c)), bent[c], 5e-8);
  }
}

}  // namespace
}  // namespace parity::reference
