// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// `parity fuzz`: what it refuses before anything runs.
#include <gmock/gmock.h>

#include "tests/harness/cli/program_fixture.hpp"

namespace parity::cli {
namespace {

using testing::HasSubstr;

class FuzzVerbTest : public ProgramTest {};

TEST_F(FuzzVerbTest, BadTime_IsRefused) {
  for (const std::string time : {"10", "0m", "-5s", "5d", "m", "''"}) {
    const Outcome refused = parity("fuzz --for " + time);
    EXPECT_EQ(refused.status, 2) << time;
    EXPECT_THAT(refused.err, HasSubstr("invalid --for")) << time;
  }
}

TEST_F(FuzzVerbTest, MissingTrainer_IsExitThree) {
  EXPECT_EQ(parity("fuzz --for 1s").status, 3);
}

}  // namespace
}  // namespace parity::cli
