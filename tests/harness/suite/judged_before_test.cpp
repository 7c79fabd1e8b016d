// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/judged_before.hpp"

#include <cstdint>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/suite/plan/identity/content_hash.hpp"
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

/// Replaces a text in the kept file.
void edit(const fs::path& file, const std::string& from, const std::string& to) {
  std::string text = read_file(file);
  const size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  write_file(file, text.replace(at, from.size(), to));
}

TEST_F(JudgedBeforeTest, AnEditedResultIsJudged) {
  for (const auto& [from, to] : {std::pair{"\"passed\":true", "\"passed\":false"},  // of the outcome
                                 {"\"title\": \"as before\"", "\"title\": \"as wanted\""},
                                 {"\"seal\":\"", "\"seal\":\"0"},
                                 {"\"head\"", "\"tail\""}}) {
    mark();
    edit(kept(), from, to);
    const Json results = run({item()});
    EXPECT_FALSE(taken_over(results)) << from;
    EXPECT_NE(results.at("cases").at(0).at("title"), "as wanted");
    EXPECT_TRUE(results.at("cases").at(0).at("passed").get<bool>());
  }
}

TEST_F(JudgedBeforeTest, ATruncatedResultIsJudged) {
  const auto size = fs::file_size(kept());
  for (const std::uintmax_t bytes : {size - 1, size - 3, size / 2, size / 8, std::uintmax_t{10}}) {
    mark();
    fs::resize_file(kept(), bytes);
    EXPECT_FALSE(taken_over(run({item()}))) << bytes;
  }
}

TEST_F(JudgedBeforeTest, AnotherJudgeJudgesAgain) {
  const auto before = kept_case(item().name, folder_ / "out");
  ASSERT_TRUE(before);
  results::Case other = results_of(*before);
  other.judged_from = content_hash("another program");
  keep_results(other, {}, folder_ / "out");
  EXPECT_FALSE(taken_over(run({item()})));
}

/// Runs the suite with a listener that wants a text of each case. \return what it was shown
class KeptTextTest : public JudgedBeforeTest {
 protected:
  std::string shown(const std::string& form) {
    std::string text;
    run({item()}, golden::GoldenMode::compare, true, EvidenceMode::stored,
        {form, [this](const results::Case& each) { return "text " + std::to_string(++asked_) + each.name; },
         [&](const std::string& each) { text += each; }});
    return text;
  }
  int asked_ = 0;  ///< number of texts that were written
};

TEST_F(KeptTextTest, ATextOfTheSameFormIsShownAgain) {
  const std::string first = shown("80");
  EXPECT_EQ(first, "text 1" + item().name);
  EXPECT_EQ(shown("80"), first);
  EXPECT_EQ(asked_, 1);
}

TEST_F(KeptTextTest, ATextOfAnotherFormIsWrittenAgain) {
  shown("80");
  EXPECT_EQ(shown("100"), "text 2" + item().name);
  EXPECT_EQ(shown("100"), "text 2" + item().name);
}

TEST_F(KeptTextTest, WithoutAFormEveryCaseIsReceivedWhole) {
  for (int times = 1; times <= 2; ++times) {
    shown("");
    EXPECT_EQ(asked_, times);
  }
}

TEST_F(KeptTextTest, ResultsAreTheSameBytesWithAndWithoutParsing) {
  shown("80");
  const Json parsed = run({item()}).at("cases");  // its listener wants every case whole
  shown("80");
  shown("80");
  const Json results = Json::parse(read_file(folder_ / "out/results.json"));
  EXPECT_EQ(results.at("cases").dump(1), parsed.dump(1));
  EXPECT_EQ(results.at("rows"), Json::array({item().name + " "}));
  EXPECT_EQ(results.at("summary").at("passed"), 1);
}

TEST_F(KeptTextTest, ATraceThatWasWrittenAgainHasANewText) {
  shown("80");
  const std::string id = run({item()}).at("cases").at(0).at("arms").at(0).at("run");
  const fs::path trace = folder_ / "out/runs" / id / "trace.h5";
  fs::copy_file(trace, folder_ / "copy.h5");
  fs::rename(folder_ / "copy.h5", trace);
  EXPECT_EQ(shown("80"), "text 2" + item().name);
}

TEST_F(JudgedBeforeTest, AFailedRunHasNothingToBeTakenOver) {
  const Case failing = write_case("f", "[golden]\narms = []\n" + copying_arm("a", "good") +
                                           shell_arm("b", "exit 1") + losses_identical());
  EXPECT_EQ(run({failing}).at("cases").at(0).at("judged_from"), "");
}

}  // namespace
}  // namespace parity::suite
