// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "tests/harness/suite/suite_fixture.hpp"

namespace parity::suite {
namespace {

class CauseCommandTest : public SuiteTest {
 protected:
  void SetUp() override {
    SuiteTest::SetUp();
    write_two_traces();
  }
  /// One program that copies the trace that its config names.
  static std::string reading_arm(const std::string& name, const std::string& trace) {
    return shell_arm(name,
                     "cp {case_dir}/$(sed -n 's/.*\"copied\": *\"\\(.*\\)\".*/\\1/p' $PARITY_CONFIG).h5 "
                     "{run_dir}/trace.h5") +
           "copied = \"" + trace + "\"\n";
  }
  static std::string no_golden() { return "[golden]\narms = []\n"; }
  static std::string check(const std::string& relation) {
    return "[[checks]]\nchannel = \"loss\"\nrelation = \"" + relation + "\"\nbecause = \"x\"\n";
  }
  Json checks(const std::string& text, golden::GoldenMode mode = golden::GoldenMode::compare) const {
    return run({write_case("c", text)}, mode).at("cases").at(0).at("checks");
  }
  std::string cause(const std::string& text) const { return checks(text).at(0).at("finding").at("cause"); }
  std::string file() const { return (folder_ / "cases/topic/c.toml").string(); }
  std::string out() const { return " --out " + (folder_ / "out").string(); }
};

TEST_F(CauseCommandTest, ArmsThatShouldAgreeAreHeldBesideEachOther) {
  EXPECT_EQ(cause(no_golden() + reading_arm("x", "a") + reading_arm("y", "b") + check("identical")),
            "parity bisect " + file() + ":x y" + out());
}

TEST_F(CauseCommandTest, WhatHoldsOrAsksForADifferenceHasNone) {
  EXPECT_EQ(
      cause(no_golden() + reading_arm("x", "a") + reading_arm("y", "a") + "other = 1\n" + check("identical")),
      "");
  const Json lagged =
      checks(no_golden() + reading_arm("x", "a") + reading_arm("y", "b") + check("lagged")).at(0);
  EXPECT_EQ(lagged.at("verdict"), "different");
  EXPECT_EQ(lagged.at("finding").at("cause"), "");
}

TEST_F(CauseCommandTest, OtherPrograms_RunAgain) {
  EXPECT_EQ(cause(no_golden() + copying_arm("x", "a") + copying_arm("y", "b") + check("identical")),
            "parity bisect " + file() + ":x y" + out());
}

TEST_F(CauseCommandTest, RunsThatDidNotFinishHaveNone) {
  EXPECT_EQ(cause(no_golden() + reading_arm("x", "a") + reading_arm("y", "none") + check("identical")), "");
}

TEST_F(CauseCommandTest, AnArmThatLeftItsGoldenIsHeldAgainstIt) {
  const std::string text = copying_arm("x", "a") + copying_arm("y", "a") + check("identical");
  for (const Json& check : checks(text))
    EXPECT_EQ(check.at("finding").at("cause"), "") << "nothing is stored: " << check.at("sentence");
  checks(text, golden::GoldenMode::update_all);
  std::vector<double> other = falling_losses();
  other[1] = 1;
  write_trace("a", other);
  size_t causes = 0;
  for (const Json& check : checks(text))
    if (check.at("kind") == "golden" && !check.at("passed").get<bool>()) {
      EXPECT_EQ(check.at("finding").at("cause"),
                "parity bisect golden " + file() + ":" + check.at("arms").at(0).get<std::string>() + out());
      ++causes;
    }
  EXPECT_EQ(causes, 2U);
}

}  // namespace
}  // namespace parity::suite
