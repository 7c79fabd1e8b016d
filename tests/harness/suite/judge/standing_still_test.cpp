// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "tests/harness/suite/suite_fixture.hpp"

namespace parity::suite {
namespace {

/// Arms whose weights do not move: a failure, unless the case itself claims it.
class StandingStillTest : public SuiteTest {
 protected:
  void record(const std::string& name, const std::vector<double>& update_norms) const {
    trace::Recorder recorder(
        {folder_ / "cases/topic" / (name + ".h5"), Json::object(), Json::object(), {}, 0});
    for (size_t i = 0; i < update_norms.size(); ++i) {
      recorder.begin_step(static_cast<int64_t>(i) + 1);
      recorder.channel("loss", 2.0);
      recorder.channel("update_norm", update_norms[i]);
      recorder.end_step();
    }
    recorder.finish();
  }

  /// Returns the sentences of a case's checks that failed.
  std::string failures(const std::string& checks) const {
    const Json results = run({write_case("c", "[golden]\narms = []\n" + copying_arm("a", "a") + checks)});
    std::string text;
    for (const Json& check : results["cases"][0]["checks"])
      if (!check["passed"].get<bool>())
        text += check["sentence"].get<std::string>() + "\n";
    return text;
  }

  static std::string unchanged(const std::string& channel) {
    return "[[checks]]\nchannel = \"" + channel +
           "\"\narms = [\"a\"]\nrelation = \"unchanged\"\nbecause = \"the rate is 0\"\n";
  }
};

TEST_F(StandingStillTest, WithoutAClaim_IsVacuous) {
  record("a", {0, 0, 0, 0});
  EXPECT_THAT(failures(unchanged("loss")), testing::HasSubstr("it did not train"));
}

TEST_F(StandingStillTest, Claimed_Passes) {
  record("a", {0, 0, 0, 0});
  EXPECT_EQ(failures(unchanged("update_norm")), "");
}

TEST_F(StandingStillTest, ClaimedOfAnArmThatMoves_Fails) {
  record("a", {0, 0, 0.5, 0});
  EXPECT_THAT(failures(unchanged("update_norm")), testing::HasSubstr("update_norm of a changed"));
}

}  // namespace
}  // namespace parity::suite
