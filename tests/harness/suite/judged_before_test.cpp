// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/judged_before.hpp"

#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/suite/results/file/kept.hpp"
#include "tests/harness/suite/suite_fixture.hpp"

namespace parity::suite {
namespace {
namespace fs = std::filesystem;

/// A mark in the kept results shows whether they were reused.
class JudgedBeforeTest : public SuiteTest {
 protected:
  void SetUp() override {
    SuiteTest::SetUp();
    write_trace("good", falling_losses());
    run({item()}, golden::GoldenMode::create_missing);
    run({item()});
    mark();
  }

  Case item(const std::string& more = "") const {
    return write_case("c", copying_arm("a", "good") + "[arms.b]\nranks = 1\n" +
                               "command = [\"/bin/sh\", \"-c\", " +
                               "'''cp {case_dir}/good.h5 $PARITY_TRACE''']\ninputs = [\"good.h5\"]\n" +
                               losses_identical() + more);
  }

  fs::path kept() const { return folder_ / "out/cases" / (item().name + ".json"); }
  void mark() const {
    const auto before = kept_case(item().name, folder_ / "out");
    ASSERT_TRUE(before);
    results::Case changed = results_of(*before);
    changed.title = "as before";
    keep_results(changed, {}, folder_ / "out");
  }
  static bool taken_over(const Json& results) { return results.at("cases").at(0).at("title") == "as before"; }
};

TEST_F(JudgedBeforeTest, AnUnchangedCaseHasTheResultsItHad) {
  const Json results = run({item()});
  EXPECT_TRUE(taken_over(results));
  EXPECT_EQ(results.at("summary").at("runs_cached"), 2);
  for (const Json& arm : results.at("cases").at(0).at("arms"))
    EXPECT_TRUE(arm.at("cached").get<bool>());
}

TEST_F(JudgedBeforeTest, AChangedCaseFileIsJudged) {
  EXPECT_FALSE(taken_over(run({item("# a word more\n")})));
}

TEST_F(JudgedBeforeTest, AChangedGoldenIsJudged) {
  const fs::path golden = item().golden_file;
  fs::resize_file(golden, fs::file_size(golden) - 1);
  const Json results = run({item()});
  EXPECT_FALSE(taken_over(results));
  EXPECT_FALSE(results.at("cases").at(0).at("passed").get<bool>());
}

TEST_F(JudgedBeforeTest, ATraceThatWasWrittenAgainIsJudged) {
  const std::string id = run({item()}).at("cases").at(0).at("arms").at(0).at("run");
  const fs::path trace = folder_ / "out/runs" / id / "trace.h5";
  fs::copy_file(trace, folder_ / "copy.h5");
  fs::rename(folder_ / "copy.h5", trace);
  EXPECT_FALSE(taken_over(run({item()})));
}

TEST_F(JudgedBeforeTest, WithoutTheCacheEverythingIsJudged) {
  EXPECT_FALSE(taken_over(run({item()}, golden::GoldenMode::compare, false)));
}

TEST_F(JudgedBeforeTest, AChangedSettingIsJudged) {
  Case changed = item();
  changed.settings = {"lr.base=1"};
  EXPECT_FALSE(taken_over(run({changed})));
}

TEST_F(JudgedBeforeTest, ADamagedFileOfResultsIsJudged) {
  for (const char* text : {"", "{", "[]", "{\"judged_from\": 1}", "{\"name\": 1, \"arms\": {}}"}) {
    write_file(kept(), text);
    EXPECT_FALSE(taken_over(run({item()}))) << text;
  }
}

TEST_F(JudgedBeforeTest, AFailedRunHasNothingToBeTakenOver) {
  const Case failing = write_case("f", "[golden]\narms = []\n" + copying_arm("a", "good") +
                                           shell_arm("b", "exit 1") + losses_identical());
  EXPECT_EQ(run({failing}).at("cases").at(0).at("judged_from"), "");
}

}  // namespace
}  // namespace parity::suite
