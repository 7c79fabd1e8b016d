// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// The gate's power with the real trainer: it detects faults at seeded places and names the place, and changes
// without effect raise no alarm.
#include <gmock/gmock.h>

#include "harness/power/places.hpp"
#include "tests/end_to_end/power/power_case.hpp"

namespace parity {
namespace {
using testing::HasSubstr;

/// A size at which every kind that has one is detected at any place. Measured with `parity power`, 59 places
/// each: the golden detects 3e-7 everywhere.
constexpr double well_above = 1e-5;

TEST_F(PowerTest, TwentySeededFaultsAreSeenAndNamedWhereTheyAre) {
  const suite::Case source = accumulation();
  power::FaultTrials trials(source, "pieces", options(), progress_);
  ASSERT_TRUE(trials.broken().empty()) << trials.broken().front();
  constexpr uint64_t seed = 20261122;
  std::vector<trace::Fault> faults;
  for (int64_t n = 0; faults.size() < 20; ++n)
    for (const trace::FaultKindRow& row : trace::fault_kinds())
      for (const trace::Phase phase : {trace::Phase::grad, trace::Phase::param})
        if (faults.size() < 20 &&
            row.kind != trace::FaultKind::dropped_reduction)  // one rank reduces nothing
          faults.push_back(
              power::Places(trials.healthy(), row.kind, phase, seed).draw(n, row.sized ? well_above : 0));
  int64_t effective = 0;
  for (const power::Trial& trial : trials.run(faults)) {
    EXPECT_EQ(trial.refused, "") << trial.fault.text();
    if (!trial.has_effect)
      continue;  // already bfloat16
    ++effective;
    // One ULP of one gradient may round away in the optimizer. A search for it names it, but the checks do
    // not detect it.
    EXPECT_TRUE(trial.seen() || trial.fault.kind == trace::FaultKind::ulp) << trial.fault.text();
    EXPECT_TRUE(trial.is_named()) << trial.to_json();
  }
  EXPECT_GE(effective, 18);
}

TEST_F(PowerTest, AFaultThatIsNoneIsNotSeen) {
  const suite::Case source = accumulation();
  power::FaultTrials trials(source, "pieces", options(), progress_);
  trace::Fault tiny{trace::FaultKind::scale, {3}, trace::Phase::grad, "norm.weight", 1e-17, 0, {}, {}, {}};
  const power::Trial trial = trials.run({tiny}).front();
  EXPECT_EQ(trial.refused, "");
  EXPECT_FALSE(trial.has_effect);
  EXPECT_FALSE(trial.seen()) << trial.to_json();
  EXPECT_FALSE(trial.first);
}

TEST_F(PowerTest, FaultBelowFloat32_IsSeenAndNamedByTwins) {
  const suite::Case source = accumulation();
  power::FaultTrials trials(source, "pieces", options(), progress_);
  trace::Fault small{trace::FaultKind::scale, {3}, trace::Phase::param, "output.weight", 1e-9, 0, {}, {}, {}};
  const power::Trial trial = trials.run({small}).front();
  EXPECT_TRUE(trial.has_effect);
  EXPECT_TRUE(trial.seen_by_arms());
  EXPECT_FALSE(trial.seen_by_golden()) << "float32 rounds it away, and a golden holds float32";
  EXPECT_TRUE(trial.is_named()) << trial.to_json();
}

TEST_F(PowerTest, AHandfulOfNoOpsRaisesNoAlarm) {
  const suite::Case source = accumulation();
  const power::FalseAlarms found = power::false_alarms(source, "pieces", 10, 1, options(), progress_);
  EXPECT_EQ(found.all().trials, 10);
  EXPECT_GT(found.exact.trials, 0);
  EXPECT_GT(found.rounding.trials, 0);
  for (const power::FalseAlarm& alarm : found.alarms)
    ADD_FAILURE() << alarm.change << " with seed " << alarm.seed << ": " << alarm.sentence;
}

TEST_F(PowerTest, AChangeThatIsNoNoOpWouldRaiseAnAlarm) {
  const suite::Case source = accumulation();
  const suite::ArmRuns runs = run_arms(
      with_extra_arms(source,
                      {{.of = "pieces", .suffix = "warm", .config = {{"lr.first_index", 0}}, .twin = true}}),
      options(), progress_);
  const suite::RunStore store(options().out);
  const std::vector<power::Alarm> alarms = power::Gate(source, runs, store).alarms("pieces", "pieces~warm");
  const auto of_golden =
      std::count_if(alarms.begin(), alarms.end(), [](const power::Alarm& a) { return a.of_golden(); });
  EXPECT_GT(of_golden, 0);
  EXPECT_LT(of_golden, static_cast<int64_t>(alarms.size()));
}

TEST_F(PowerTest, TheMeasurementOfACaseSaysHowSmall) {
  const suite::Case source = accumulation();
  power::PowerQuestion question;
  question.kinds = {trace::FaultKind::scale};
  question.samples = 3;
  question.no_op_pairs = 2;
  const power::Power power = measure_power(source, question, options(), progress_);
  EXPECT_EQ(power.arm, "pieces");
  ASSERT_EQ(power.faults.size(), 2U);
  for (const power::FaultPower& fault : power.faults) {
    ASSERT_TRUE(fault.golden && fault.golden->size) << name_of(fault.phase);
    EXPECT_GE(*fault.golden->size, 1e-8) << "float32 has no room for less";
    EXPECT_LE(*fault.golden->size, 1e-6);
    EXPECT_EQ(fault.named.hits, fault.named.trials);
  }
  EXPECT_TRUE(power.is_clean());
  EXPECT_THAT(power.sentence(), HasSubstr("; 0 false alarms in 2 no-op pairs"));
  EXPECT_EQ(power.to_json().at("faults").size(), 2U);
}

}  // namespace
}  // namespace parity
