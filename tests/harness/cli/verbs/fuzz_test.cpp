// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// `parity fuzz`: what it refuses, and what it says if it judged nothing.
#include <gmock/gmock.h>

#include "tests/harness/cli/verbs/trainer_fixture.hpp"

namespace parity::cli {
namespace {

using testing::HasSubstr;

class FuzzVerbTest : public TrainerTest {};

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

TEST_F(FuzzVerbTest, NothingJudged_IsNoAgreement) {
  write_trainer(R"(answers = [{"problem": "no", "ranks": 1, "model": {}} for c in configs])");
  const Outcome found = parity("fuzz --for 1s --trainer ./trainer");
  EXPECT_EQ(found.status, 3) << found.out << found.err;
  EXPECT_THAT(found.out, HasSubstr("missing: no case was judged"));
  EXPECT_EQ(parity("fuzz --for 1s --trainer ./trainer --json").status, 3);
}

TEST_F(FuzzVerbTest, CaseOfADeadRound_IsRemoved) {
  write_trainer(R"(answers = [{"problem": "no", "ranks": 1, "model": {}} for c in configs])");
  write_file(folder_ / "out/fuzz/cases/fuzz/round1_1.toml", "what a killed fuzz left");
  EXPECT_EQ(parity("fuzz --for 1s --trainer ./trainer").status, 3);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out/fuzz/cases/fuzz/round1_1.toml"));
}

}  // namespace
}  // namespace parity::cli
