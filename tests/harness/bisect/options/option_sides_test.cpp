// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "harness/bisect/options/sides.hpp"
#include "tests/harness/suite/suite_fixture.hpp"

namespace parity::bisect {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class OptionSidesTest : public suite::SuiteTest {
 protected:
  void SetUp() override {
    suite::SuiteTest::SetUp();
    write_file(folder_ / "cases/topic/two.toml",
               "[base]\nlr.base = 0.5\ndata.path = \"{case_dir}/x\"\n[arms.a]\n[arms.b]\nlr.base = 0.1\n" +
                   rest("a", "b"));
    write_file(folder_ / "cases/topic/three.toml",
               "[arms.a]\n[arms.b]\nlr.base = 0.1\n[arms.c]\n" + rest("a", "b"));
    write_file(folder_ / "cases/topic/commands.toml", copying_arm("x", "t") + copying_arm("y", "u") +
                                                          copying_arm("ranked", "t") + "ranks = 1\n" +
                                                          "[arms.trained]\n[arms.read]\ncommand = [\"p\", "
                                                          "\"{trace:trained}\"]\n" +
                                                          rest("x", "y"));
    write_file(folder_ / "trainer.schema.json",
               R"({"schema": "parity.config/1", "channels": [], "keys": {
                "lr.base": {"type": "number", "default": 0.1}}})");
    write_file(folder_ / "trainer", "");
  }
  static std::string rest(const std::string& a, const std::string& b) {
    return "[golden]\narms = []\n" + losses_identical() + "arms = [\"" + a + "\", \"" + b + "\"]\n";
  }

  OptionSides sides(const std::string& good, const std::string& bad = "",
                    const std::vector<std::string>& settings = {}) const {
    return option_sides(good, bad, folder_ / "cases", settings);
  }
  std::string complaint(const std::string& good, const std::string& bad = "") const {
    try {
      sides(good, bad);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }
  std::string file(const std::string& name, const std::string& text) const {
    write_file(folder_ / name, text);
    return (folder_ / name).string();
  }
};

TEST_F(OptionSidesTest, ACaseOfTwoArmsHasTwoSides) {
  const OptionSides found = sides("topic/two");
  ASSERT_EQ(found.sides.arms.size(), 2U);
  EXPECT_EQ(found.subject, "topic/two: a (good) against b (bad)");
  EXPECT_EQ(found.sides.arms[0].config.at("lr.base").value, 0.5);
  EXPECT_EQ(found.sides.arms[1].config.at("lr.base").value, 0.1);
  EXPECT_EQ(found.sides.arms[1].config.at("data.path").value, (folder_ / "cases/topic/x").string());
  EXPECT_TRUE(found.sides.checks.empty());
  const std::string command = "parity run topic/two --cases " + (folder_ / "cases").string();
  EXPECT_EQ(found.base_command, command);
  EXPECT_EQ(found.command_with({{"lr.base", 0.5, 0.1}}, {0}), command + " --set a:lr.base=0.1");
}

TEST_F(OptionSidesTest, CommandsNameACaseAsItWasNamed) {
  const std::string two = (folder_ / "cases/topic/two.toml").string();
  EXPECT_EQ(sides(two + ":b", "a").base_command, "parity run " + two);
  EXPECT_EQ(sides(two).base_command, "parity run " + two);
  EXPECT_THAT(complaint((folder_ / "cases/topic/three.toml").string()), HasSubstr("three.toml:a b"));
  const std::string config = file("good.toml", "lr.base = 0.5\n");
  EXPECT_EQ(sides(config, two).base_command, "parity-train " + config);
}

TEST_F(OptionSidesTest, ArmsAreNamedLikeThoseOfCompareOrBare) {
  for (const char* bad : {"a", "topic/three:a"})
    EXPECT_EQ(sides("topic/three:b", bad).subject, "topic/three: b (good) against a (bad)");
  EXPECT_EQ(sides("topic/two:b", "topic/three:c").subject, "topic/two:b (good) against topic/three:c (bad)");
}

TEST_F(OptionSidesTest, SidesOfOneNameAreToldApart) {
  const OptionSides found = sides("topic/two:a", "topic/three:a");
  EXPECT_EQ(found.sides.arms[0].name, "good");
  EXPECT_EQ(found.sides.arms[1].name, "bad");
}

TEST_F(OptionSidesTest, RunConfigsAreSidesToo) {
  const std::string good = file("good.toml", "steps = 3\n[lr]\nbase = 0.5\n");
  const std::string bad = file("config.json", R"({"steps": 3, "lr": {"base": 0.25}})");
  const OptionSides found = sides(good, bad);
  EXPECT_EQ(found.sides.arms[0].config.at("lr.base").value, 0.5);
  EXPECT_EQ(found.sides.arms[1].config.at("lr.base").value, 0.25);
  EXPECT_EQ(found.base_command, "parity-train " + good);
  EXPECT_EQ(found.command_with({{"lr.base", 0.5, 0.25}}, {0}),
            "parity-train " + good + " --set lr.base=0.25");
}

TEST_F(OptionSidesTest, SettingsChangeBothSidesOrOne) {
  const OptionSides both = sides("topic/two", "", {"lr.base=0.3"});
  EXPECT_EQ(both.sides.arms[0].config.at("lr.base").value, 0.3);
  EXPECT_EQ(both.sides.arms[1].config.at("lr.base").value, 0.3);
  EXPECT_EQ(both.base_command,
            "parity run topic/two --cases " + (folder_ / "cases").string() + " --set lr.base=0.3");
  const OptionSides one = sides("topic/two", "", {"b:lr.base=0.3"});
  EXPECT_EQ(one.sides.arms[0].config.at("lr.base").value, 0.5);
  EXPECT_EQ(one.sides.arms[1].config.at("lr.base").value, 0.3);
}

TEST_F(OptionSidesTest, WhatNamesNoTwoSidesIsToldWithWhatDoes) {
  EXPECT_THAT(complaint("topic/three"), AllOf(HasSubstr("a, b, c"), HasSubstr("name it after")));
  EXPECT_THAT(complaint("topic/two:x"), HasSubstr("no arm 'x'; known: a, b"));
  EXPECT_THAT(complaint("topic/two", "x"), HasSubstr("no arm 'x'"));
  EXPECT_THAT(complaint("topic/too"), HasSubstr("topic/two"));
  EXPECT_THAT(complaint("topic/*"), HasSubstr("matches 3 cases"));
  EXPECT_THAT(complaint(file("g.toml", "steps = 1\n")), HasSubstr("name the bad run config"));
  EXPECT_THAT(complaint(file("g.toml", "steps = \n"), "x"), HasSubstr("g.toml:1:"));
  EXPECT_THAT(complaint(file("g.json", "[1]"), "x"), HasSubstr("cannot read run config"));
}

TEST_F(OptionSidesTest, ACommandHasNoOptionsToShareWithAnotherProgram) {
  EXPECT_THAT(complaint("topic/commands:x", "trained"),
              AllOf(HasSubstr("arm x is a command and arm trained is not"),
                    HasSubstr("parity bisect topic/commands:x trained")));
  EXPECT_THAT(complaint("topic/commands:x", "y"),
              AllOf(HasSubstr("different commands"), HasSubstr("parity bisect topic/commands:x y"),
                    HasSubstr("one command that reads {config}")));
  const std::string file = (folder_ / "cases/topic/commands.toml").string();
  EXPECT_THAT(complaint(file + ":x", "y"), HasSubstr("parity bisect " + file + ":x y"))
      << "as the user named it";
  EXPECT_THAT(complaint("topic/commands:x", "topic/commands:ranked"), HasSubstr("different commands"));
  EXPECT_THAT(complaint("topic/commands:read", "read"), HasSubstr("reads the trace of another arm"));
}

TEST_F(OptionSidesTest, ProgramsThatRunAgain_MayDiffer) {
  const auto rerun = [&](const std::string& good, const std::string& bad) {
    return option_sides(good, bad, folder_ / "cases", {}, SideUse::rerun);
  };
  EXPECT_EQ(rerun("topic/commands:x", "y").sides.arms[1].command[1], "{case_dir}/u.h5");
  EXPECT_EQ(rerun("topic/commands:x", "trained").sides.arms[1].command.size(), 0U);
  EXPECT_THROW(rerun("topic/commands:x", "read"), UserError);
  std::filesystem::create_directories(folder_ / "cases/other");
  write_file(folder_ / "cases/other/commands.toml",
             copying_arm("x", "t") + copying_arm("y", "u") + rest("x", "y"));
  const suite::Arm other = rerun("topic/commands:x", "other/commands:y").sides.arms[1];
  EXPECT_EQ(other.command[1], (folder_ / "cases/other/u.h5").string()) << "each from its own case's folder";
  EXPECT_EQ(other.inputs, std::vector<std::string>{(folder_ / "cases/other/u.h5").string()});
}

TEST_F(OptionSidesTest, SidesKeepThePythonOfTheirCase) {
  for (const std::string name : {"one", "other"})
    write_file(folder_ / "cases/topic" / (name + ".toml"),
               "[python]\nvenv = \"" + name + "\"\n[arms.a]\ncommand = [\"{python}\"]\nx = 1\n[arms.b]\n" +
                   "command = [\"{python}\"]\nx = 2\n" + rest("a", "b"));
  EXPECT_EQ(sides("topic/one").sides.python.interpreter.parent_path().parent_path().filename(), "one");
  EXPECT_THAT(complaint("topic/one:a", "topic/other:b"), HasSubstr("cannot search between the environments"));
}

TEST_F(OptionSidesTest, AKeyThatOnlyOneSideKnowsIsToldWithItsPlace) {
  const std::string good = file("good.toml", "lr.base = 0.5\n"), bad = file("bad.toml", "lr.bsae = 0.5\n");
  try {
    require_known_keys(sides(good, bad), folder_ / "trainer");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("bad.toml:1:"), HasSubstr("only side bad has it"),
                                    HasSubstr("did you mean 'lr.base'")));
  }
  EXPECT_NO_THROW(require_known_keys(sides(good, good), folder_ / "trainer"));
}

}  // namespace
}  // namespace parity::bisect
