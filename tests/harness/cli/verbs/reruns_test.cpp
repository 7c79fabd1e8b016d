// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "tests/harness/cli/program_fixture.hpp"

namespace parity::cli {
namespace {
using testing::HasSubstr;
using testing::Not;

/// What `parity run` says about runs of an earlier suite that are not used now.
class RerunsTest : public ProgramTest {
 protected:
  static constexpr const char* sentence = "changed since the last run";
};

TEST_F(RerunsTest, AChangedVariable_IsNamed) {
  EXPECT_THAT(parity("run topic/same").err, Not(HasSubstr(sentence)));
  const Outcome outcome = shell("env PARITY_EXTRA=1 parity run topic/same");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err,
              HasSubstr("changed since the last run: environment variable PARITY_EXTRA (new) ("));
}

TEST_F(RerunsTest, RunsThatAnswer_AreNotMentioned) {
  EXPECT_EQ(parity("run topic/same").status, 0);
  EXPECT_THAT(parity("run topic/same").err, Not(HasSubstr(sentence)));
}

TEST_F(RerunsTest, DamagedRecords_StopNothing) {
  EXPECT_EQ(parity("run topic/same").status, 0);
  for (const auto& run : std::filesystem::directory_iterator(folder_ / "out/suite/runs"))
    if (run.is_directory())
      write_file(run.path() / "run.json", "{");
  const Outcome outcome = shell("env PARITY_EXTRA=1 parity run topic/same");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, Not(HasSubstr(sentence)));
}

}  // namespace
}  // namespace parity::cli
