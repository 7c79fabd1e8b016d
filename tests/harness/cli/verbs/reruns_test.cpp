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

/// A build may replace the program while it runs a suite.
TEST_F(RerunsTest, ProgramThatIsRemovedMeanwhile_JudgesItsCases) {
  const std::string command = "rm -f $PROGRAM; cp {case_dir}/a.h5 $PARITY_TRACE";
  write_case("removed", no_golden() + "[arms.first]\ncommand = [\"sh\", \"-c\", \"" + command + "\"]\n" +
                            "[arms.second]\ncommand = [\"sh\", \"-c\", \"" + command + " # again\"]\n" +
                            losses_identical());
  const Outcome outcome = shell(
      "mkdir own && cp \"$(command -v parity)\" own && ln -s \"$(dirname $(command -v parity))/../share\" "
      "share && "
      "PROGRAM=$PWD/own/parity own/parity run topic/removed");
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "own/parity"));
}

/// Arms that differ in a variable only.
class VariableTest : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    write_case("variable", no_golden() + arm("first", "a") + arm("second", "b") + losses_identical());
  }
  static std::string arm(const std::string& name, const std::string& trace) {
    return "[arms." + name + "]\ncommand = [\"sh\", \"-c\", \"cp $DATA $PARITY_TRACE # {config}\"]\n" +
           "environment = { DATA = \"{case_dir}/" + trace + ".h5\" }\n";
  }
};

TEST_F(VariableTest, IsNamedAsWhatDiffers) {
  const Outcome found = parity("run topic/variable");
  EXPECT_EQ(found.status, 1) << found.err;
  const Json item = results().at("cases").at(0);
  EXPECT_EQ(item.at("config_difference").at(0).at("key"), "environment.DATA");
  EXPECT_EQ(parity("run topic/variable --set environment.RANK=1").status, 2);
  EXPECT_EQ(parity("run topic/variable --set second:environment.DATA=cases/topic/a.h5").status, 0);
}

TEST_F(VariableTest, IsSearchedByBisect) {
  const Outcome found = parity("bisect options topic/variable:first second");
  EXPECT_EQ(found.status, 1) << found.out << found.err;
  EXPECT_THAT(found.out, HasSubstr("environment.DATA = "));
}

}  // namespace
}  // namespace parity::cli
