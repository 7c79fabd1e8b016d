// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <regex>
#include <set>

#include <gmock/gmock.h>

#include "tests/harness/cli/program_fixture.hpp"

namespace parity::cli {
namespace {

/// Printed commands can be pasted back.
class PastedTest : public ProgramTest {
 protected:
  /// Returns every command in the output: after a label at the start of a line, or after "with:", "run:" and
  /// similar words, up to the end of the line.
  static std::set<std::string> commands_in(const std::string& text) {
    std::set<std::string> commands;
    const std::regex command(R"((parity (run|golden|compare|report|list)|tail -n|git log)( [^\n]*)?)");
    for (auto found = std::sregex_iterator(text.begin(), text.end(), command);
         found != std::sregex_iterator(); ++found)
      commands.insert(found->str());
    return commands;
  }

  void expect_usable(const std::string& printed, size_t at_least) {
    const std::set<std::string> commands = commands_in(printed);
    EXPECT_GE(commands.size(), at_least) << printed;
    for (const std::string& command : commands) {
      const Outcome outcome = shell(command);
      EXPECT_NE(outcome.status, 2) << command << "\n" << outcome.err;
      EXPECT_LT(outcome.status, 70) << command << "\n" << outcome.err;
      EXPECT_GE(outcome.status, 0) << command << "\n" << outcome.err;
    }
  }
};

TEST_F(PastedTest, EveryCommandThatAFailingRunPrintsWorks) {
  write_different();
  write_case("crash", no_golden() + copying_arm("a", "a") + shell_arm("b", "echo no gpu >&2; exit 9") +
                          losses_identical());
  write_case("unrecorded", copying_arm("a", "a") + copying_arm("b", "a") + losses_identical());
  write_case("with space", no_golden() + copying_arm("a", "a") + copying_arm("b", "b") + losses_identical());
  const Outcome outcome = parity("run --out 'out/my suite'");
  EXPECT_EQ(outcome.status, 4);
  expect_usable(outcome.out + outcome.err, 8);
}

TEST_F(PastedTest, EveryCommandOfAChangedGoldenWorks) {
  write_case("golden", copying_arm("x", "a") + copying_arm("y", "a") + losses_identical());
  ASSERT_EQ(parity("golden record").status, 0);
  std::vector<double> other = falling_losses();
  other[5] = 6.5;
  write_trace("a", other);
  std::filesystem::copy_file(folder_ / "golden/topic/golden.h5", folder_ / "golden/topic/gone.h5");
  const Outcome run = parity("run");
  EXPECT_EQ(run.status, 1);
  expect_usable(run.out + run.err, 3);
  const Outcome record = parity("golden record topic/golden");
  EXPECT_EQ(record.status, 1);
  expect_usable(record.out + record.err, 2);
}

TEST_F(PastedTest, EveryCommandOfASettingWorks) {
  write_different();
  const Outcome run = parity("run topic/differ --set first:note='two words' --fail-fast");
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.out.find("--set 'first:note=two words'"), std::string::npos) << run.out;
  expect_usable(run.out + run.err, 2);
}

}  // namespace
}  // namespace parity::cli
