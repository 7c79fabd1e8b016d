// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/power/measure_power.hpp"

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "harness/suite/cases/read/file.hpp"

namespace parity::power {
namespace {

suite::Case parse(const std::string& arms, const std::string& golden, const std::string& checked) {
  return suite::parse_case(arms + "[golden]\narms = [" + golden +
                               "]\n[[checks]]\nchannel = \"loss\"\nrelation = \"identical\"\narms = [" +
                               checked + "]\nbecause = \"x\"\n",
                           "cases/topic/name.toml");
}

TEST(MeasurePowerTest, FaultedArm_PrefersComparedThenStoredArms) {
  const std::string arms = "[arms.a]\n[arms.b]\nlr.base = 1\n[arms.c]\nlr.base = 2\n";
  EXPECT_EQ(arm_to_fault(parse(arms, "\"a\", \"b\", \"c\"", "\"a\", \"c\"")), "c");
  EXPECT_EQ(arm_to_fault(parse(arms, "\"a\"", "\"a\", \"c\"")), "a");
  EXPECT_EQ(arm_to_fault(parse(arms, "", "\"b\", \"c\"")), "b");
  const std::string command = "[arms.a]\ncommand = [\"x\"]\n[arms.b]\ncommand = [\"y\"]\n";
  EXPECT_THROW(arm_to_fault(parse(command, "", "\"a\", \"b\"")), UserError);
}

TEST(MeasurePowerTest, Operators_AreRefused) {
  const suite::Case source = suite::parse_case(
      "[operator]\ninputs.x = {shape = [\"n\"]}\nsweep = {n = [1, 2]}\n"
      "[arms.a]\noperator = \"aten::relu\"\n[arms.b]\noperator = \"aten::relu\"\nthreads = 2\n"
      "[[checks]]\nrelation = \"identical\"\nbecause = \"x\"\n",
      "cases/topic/name.toml");
  Progress progress(stderr, false);
  for (const char* arm : {"", "a"}) {
    PowerQuestion question;
    question.arm = arm;
    try {
      measure_power(source, question, {}, progress, {});
      FAIL() << "no complaint";
    } catch (const UserError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("its arms are functions"));
    }
  }
}

FaultPower row(trace::FaultKind kind, trace::Phase phase, std::optional<double> arms,
               std::optional<double> golden) {
  FaultPower power;
  power.kind = kind;
  power.phase = phase;
  power.arms.size = arms;
  power.golden.emplace();
  power.golden->size = golden;
  return power;
}

TEST(MeasurePowerTest, TheSentenceHasTheSmallestOfEachPhaseAndHalf) {
  Power power;
  EXPECT_EQ(power.sentence(), "false alarms were not asked");
  power.question.samples = 20;
  power.no_ops.exact = {0, 30};
  power.no_ops.rounding = {0, 10};
  EXPECT_EQ(power.sentence(), "0 false alarms in 40 no-op pairs");
  power.faults = {row(trace::FaultKind::scale, trace::Phase::grad, 3e-4, 1e-7),
                  row(trace::FaultKind::perturb, trace::Phase::grad, 1e-4, 3e-7),
                  row(trace::FaultKind::scale, trace::Phase::param, std::nullopt, 1e-7),
                  row(trace::FaultKind::ulp, trace::Phase::param, {}, {})};
  EXPECT_EQ(power.sentence(),
            "smallest fault detected at 95 % of 20 places: grad x (1 +- 0.0001), none of param; by the "
            "golden: grad x (1 "
            "+ 1e-07), "
            "param x (1 + 1e-07); 0 false alarms in 40 no-op pairs");
  EXPECT_TRUE(power.is_clean());
  EXPECT_EQ(power.to_json().at("sentence"), power.sentence());
}

TEST(MeasurePowerTest, AFalseAlarmOrAWrongNameIsNotClean) {
  Power power;
  power.no_ops.rounding = {1, 10};
  EXPECT_FALSE(power.is_clean());
  EXPECT_THAT(power.sentence(), testing::HasSubstr("1 false alarm in 10"));
  power.no_ops.rounding = {0, 10};
  power.faults = {row(trace::FaultKind::ulp, trace::Phase::grad, {}, {})};
  power.faults.front().named = {9, 10};
  EXPECT_FALSE(power.is_clean());
}

}  // namespace
}  // namespace parity::power
