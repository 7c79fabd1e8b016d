// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/runs/conditions.hpp"

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "harness/base/processes/cores.hpp"

namespace parity::suite {
namespace {

std::vector<int> cores_of(int64_t threads, int64_t repetition) {
  PlannedRun run;
  run.label = "a";
  run.threads = static_cast<int>(threads);
  run.under = compare::Condition::other_cores;
  run.repetition = repetition;
  ProcessSpec spec;
  apply_condition(spec, run, "", 0);
  return spec.cores;
}

TEST(ConditionsTest, OtherCores_AreOthersInEachRepetition) {
  if (core_count() < 2)
    GTEST_SKIP() << "needs two cores";
  EXPECT_NE(cores_of(1, 1), cores_of(1, 2));
}

TEST(ConditionsTest, EveryCore_IsNotAnotherOne) {
  try {
    cores_of(core_count(), 1);
    FAIL() << "a run that has every core cannot get others";
  } catch (const UserError& error) {
    EXPECT_EQ(error.code(), ExitCode::missing);
    EXPECT_THAT(error.what(), testing::HasSubstr("cannot use other cores (a rank of a needs"));
  }
}

}  // namespace
}  // namespace parity::suite
