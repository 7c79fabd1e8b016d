// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// The measurement with a simulated gate, which detects everything above a threshold.
#include "harness/power/fault_power.hpp"

#include <cmath>

#include <gmock/gmock.h>

#include "tests/support/traces/recorded.hpp"
#include "tests/support/traces/samples.hpp"

namespace parity::power {
namespace {

class FaultPowerTest : public RecordedTest {
 protected:
  void SetUp() override {
    RecordedTest::SetUp();
    trace::Recorder recorder(options());
    const std::vector<float> values = {1, 2, 3, 4};
    for (int64_t step = 1; step <= 5; ++step) {
      recorder.begin_step(step);
      recorder.tensor(trace::Phase::grad, "w", view_of(DType::float32, values, {2, 2}));
      recorder.end_step();
    }
    recorder.finish();
  }

  /// A trial that arms detect from one size on, and the golden from another, with its place named.
  Trial play(const trace::Fault& fault) const {
    Trial trial;
    trial.fault = fault;
    trial.has_effect = true;
    const bool blind = blind_step && fault.at_step(*blind_step);
    if (fault.size >= arms_from && !blind)
      trial.alarms.push_back({results::CheckKind::pair, "loss", compare::Verdict::different, ""});
    if (fault.size >= golden_from && !blind)
      trial.alarms.push_back({results::CheckKind::golden, "loss", compare::Verdict::different, ""});
    if (!misnames)
      trial.first = {fault.steps.at(0), fault.phase, fault.name};
    return trial;
  }

  FaultPower measure(trace::FaultKind kind, bool has_golden = true) {
    return fault_power({kind, trace::Phase::grad, 20, 1}, trace::Trace::open(folder), has_golden,
                       [this](const std::vector<trace::Fault>& faults) {
                         std::vector<Trial> trials;
                         for (const trace::Fault& fault : faults) {
                           ++tried;
                           trials.push_back(change ? change(play(fault)) : play(fault));
                         }
                         return trials;
                       });
  }

  double arms_from = 2e-6, golden_from = 1e-7;
  std::optional<int64_t> blind_step;
  bool misnames = false;
  std::function<Trial(Trial)> change;
  int64_t tried = 0;
};

TEST_F(FaultPowerTest, EachHalfOfTheGateHasItsSmallestSize) {
  const FaultPower power = measure(trace::FaultKind::scale);
  EXPECT_EQ(power.arms.size, 3e-6);
  EXPECT_EQ(power.golden->size, 1e-7);
  EXPECT_EQ(power.arms.seen, (Tally{20, 20}));
  EXPECT_EQ(power.named.hits, power.named.trials);
  EXPECT_GT(power.named.trials, 20);
  EXPECT_LT(tried, 300);
  EXPECT_FALSE(measure(trace::FaultKind::scale, false).golden);
}

TEST_F(FaultPowerTest, ASizeThatIsMissedAtSomeStepsHasNoPower) {
  blind_step = 3;  // a fifth of the places
  const FaultPower power = measure(trace::FaultKind::scale);
  EXPECT_FALSE(power.arms.size);
  EXPECT_LT(power.arms.seen.hits, power.arms.seen.trials);
}

TEST_F(FaultPowerTest, AKindWithoutASizeIsCounted) {
  golden_from = INFINITY;
  blind_step = 3;
  arms_from = 0;
  const FaultPower power = measure(trace::FaultKind::ulp);
  EXPECT_EQ(power.arms.seen.trials, 20);
  EXPECT_GT(power.arms.seen.hits, 10);
  EXPECT_LT(power.arms.seen.hits, 20);
  EXPECT_EQ(power.golden->seen, (Tally{0, 20}));
  EXPECT_FALSE(power.missed.empty());
  EXPECT_EQ(power.missed.front().fault.steps, std::vector<int64_t>{3});
}

TEST_F(FaultPowerTest, AFaultThatIsSeenAndSaidToBeElsewhereIsTold) {
  arms_from = 0;
  misnames = true;
  const FaultPower power = measure(trace::FaultKind::sign_flip);
  EXPECT_EQ(power.named, (Tally{0, 20}));
  EXPECT_FALSE(power.misnamed.empty());
}

TEST_F(FaultPowerTest, PlacesWithoutEffectAreLeftOutAndMoreAreDrawn) {
  arms_from = 0;
  change = [](Trial trial) {
    trial.has_effect = !trial.fault.at_step(2);
    if (!trial.has_effect)
      trial.alarms.clear();
    return trial;
  };
  const FaultPower power = measure(trace::FaultKind::bf16);
  EXPECT_EQ(power.arms.seen, (Tally{20, 20}));
  EXPECT_GT(power.without_effect, 0);
}

TEST_F(FaultPowerTest, WhatCanBePutInNowhereSaysWhy) {
  change = [](Trial trial) {
    trial.refused = "there is one rank";
    return trial;
  };
  const FaultPower power = measure(trace::FaultKind::dropped_reduction);
  EXPECT_EQ(power.not_applicable, "there is one rank");
  EXPECT_EQ(power.arms.seen.trials, 0);
  EXPECT_LE(tried, 8);
}

}  // namespace
}  // namespace parity::power
