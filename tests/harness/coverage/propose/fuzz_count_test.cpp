// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/coverage/propose/fuzz_count.hpp"

#include <gtest/gtest.h>

namespace parity::coverage {
namespace {

Trial trial_of(std::vector<FailedArm> failed, bool untrained) {
  Trial trial;
  trial.proposed.arms.resize(3);
  trial.failed = std::move(failed);
  trial.judged = true;
  trial.untrained = untrained;
  return trial;
}

TEST(FuzzCountTest, Nothing_IsNoAgreement) {
  EXPECT_EQ(FuzzCount{}.exit_code(), ExitCode::missing);
  FuzzCount stopped;
  stopped.add(Trial{});
  EXPECT_EQ(stopped.exit_code(), ExitCode::missing);
}

TEST(FuzzCountTest, LossThatDoesNotFall_IsNeitherDifferenceNorAgreement) {
  FuzzCount count;
  count.add(trial_of({{"plain", "its loss did not fall"}}, true));
  EXPECT_EQ(count.exit_code(), ExitCode::missing);
  count.add(trial_of({}, false));
  EXPECT_EQ(count.exit_code(), ExitCode::agree);
  EXPECT_EQ(count.sentence(7),
            "2 cases with 6 arms in 7 s: 0 arms differ or did not end; 1 case learned too little to show a "
            "difference");
}

TEST(FuzzCountTest, AmplifiedRounding_IsNeitherDifferenceNorAgreement) {
  FuzzCount count;
  Trial trial = trial_of({{"context", "differs"}}, false);
  trial.amplifies = true;
  count.add(trial);
  EXPECT_EQ(count.exit_code(), ExitCode::missing);
  EXPECT_EQ(count.different, 0);
}

TEST(FuzzCountTest, DifferentArm_IsADifferenceWhateverElseWasSeen) {
  FuzzCount count;
  count.add(trial_of({{"context", "differs"}}, false));
  count.add(trial_of({{"plain", "its loss did not fall"}}, true));
  EXPECT_EQ(count.exit_code(), ExitCode::differ);
  EXPECT_EQ(count.different, 1);
}

}  // namespace
}  // namespace parity::coverage
