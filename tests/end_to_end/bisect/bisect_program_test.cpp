// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// parity bisect as a user types it, with sides that differ before training starts.
#include <gmock/gmock.h>

#include "tests/end_to_end/trained_case.hpp"
#include "tests/harness/cli/program_fixture.hpp"

namespace parity {
namespace {

using testing::HasSubstr;

/// For its helpers that write a case.
struct Words : TrainedCaseTest {
  using TrainedCaseTest::base;
  using TrainedCaseTest::check;
};

class TrainedProgramTest : public cli::ProgramTest {
 protected:
  /// A case of two arms, the second with this key.
  cli::Outcome search(const std::string& key, const std::string& verb = "bisect") const {
    write_case("c", Words::base() + "[arms.good]\n[arms.bad]\n" + key + "\n" + no_golden() +
                        Words::check("channel = \"loss\"", "identical"));
    const char* elsewhere = std::getenv("PARITY_TRAINER");
    return parity(verb + " topic/c --trainer " +
                  (elsewhere ? elsewhere : places::build + "/bin/parity-train"));
  }
};

TEST_F(TrainedProgramTest, OtherWeightsAreThereBeforeTheFirstUpdate) {
  const cli::Outcome outcome = search("seed = 7");
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_THAT(
      outcome.out,
      HasSubstr("at step 0 is the first tensor that differs: the sides start from different weights"));
}

TEST_F(TrainedProgramTest, OtherDataAreReadBeforeAnyComputation) {
  const cli::Outcome outcome = search("data.seed = 8");
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("the sides read different data, before any computation"));
}

TEST_F(TrainedProgramTest, AKeyThatChangesNothingLeavesNoDifference) {
  const cli::Outcome outcome = search("checkpoint.restart_after = 4");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              HasSubstr("every channel and the parameters after update 10 are bitwise identical"));
}

TEST_F(TrainedProgramTest, ATypoInAKeyIsToldWithTheNearest) {
  const cli::Outcome outcome = search("lr.bsae = 1");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("unknown config key 'lr.bsae' (only side bad has it"));
  EXPECT_THAT(outcome.err, HasSubstr("did you mean 'lr.base'?"));
}

}  // namespace
}  // namespace parity
