// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include <gmock/gmock.h>

#include "harness/base/json/number.hpp"
#include "harness/golden/golden_file.hpp"
#include "harness/suite/goldens/check.hpp"
#include "harness/suite/goldens/stored_power.hpp"
#include "harness/suite/results/case_results.hpp"
#include "harness/suite/results/file/merge.hpp"
#include "harness/suite/results/pictures/curves.hpp"
#include "tests/harness/suite/suite_fixture.hpp"

namespace parity::suite {
namespace {
namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class ResultsTest : public SuiteTest {
 protected:
  void SetUp() override {
    SuiteTest::SetUp();
    write_two_traces(0.0);
  }
  Case make(const std::string& second, const std::string& golden = "[golden]\narms = []\n") const {
    return write_case("c", "title = \"A title\"\nquestion = \"Same?\"\ntags = [\"fast\"]\n" + golden +
                               copying_arm("first", "a") + copying_arm("second", second) +
                               losses_identical());
  }
};

TEST_F(ResultsTest, AnAgreementHasEveryFieldOfTheSchema) {
  run({make("a")});
  const Json results = Json::parse(read_file(folder_ / "out/results.json"));
  for (const char* key :
       {"schema", "producer", "command", "started", "seconds", "environment", "summary", "cases"})
    EXPECT_TRUE(results.contains(key)) << key;
  const Json& item = results.at("cases").at(0);
  for (const char* key :
       {"name", "file", "title", "question", "source", "tags", "reference", "passed", "verdict", "sentence",
        "seconds", "notes", "power", "arms", "config_difference", "curves", "checks", "reproduce"})
    EXPECT_TRUE(item.contains(key)) << key;
  EXPECT_EQ(item.at("name"), "topic/c");
  EXPECT_EQ(item.at("verdict"), "identical");
  EXPECT_EQ(item.at("sentence"),
            "first and second have the same bits in everything that was checked (5 checks)");
  EXPECT_EQ(item.at("arms").at(0).at("steps"), 10);
  EXPECT_TRUE(fs::exists(folder_ / "out" / item.at("arms").at(0).at("trace").get<std::string>()));
  EXPECT_EQ(results.at("summary").at("by_verdict").at("identical"), 1);
  EXPECT_EQ(exit_code_of(results), ExitCode::agree);
}

TEST_F(ResultsTest, ArmsComparedOnlyWithGolden_AreNotInAgreement) {
  Case item = make("b", "");
  item.checks.clear();
  item.check_places.clear();
  run({item}, golden::GoldenMode::create_missing);
  const Json judged = run({item}).at("cases").at(0);
  EXPECT_THAT(judged.at("sentence").get<std::string>(),
              testing::StartsWith("first and second each agree with their golden, bit for bit"));
}

TEST_F(ResultsTest, Difference_NamesPlaceValuesAndNextCommand) {
  const Json results = run({make("b")});
  const Json& item = results.at("cases").at(0);
  EXPECT_FALSE(item.at("passed").get<bool>());
  EXPECT_THAT(item.at("sentence").get<std::string>(), HasSubstr("1 of 5 checks failed: "));
  const Json& check = item.at("checks").at(0);
  EXPECT_EQ(check.at("id"), "topic/c:1");
  EXPECT_EQ(check.at("kind"), "pair");
  EXPECT_EQ(check.at("finding").at("where").at("step"), 4);
  EXPECT_EQ(check.at("finding").at("expected"), 7.25);
  EXPECT_EQ(check.at("finding").at("actual"), 7.5);
  EXPECT_EQ(check.at("finding").at("next"),
            "parity compare topic/c:first topic/c:second --channel loss --step 4 --out " +
                (folder_ / "out").string());
  EXPECT_EQ(exit_code_of(results), ExitCode::differ);
}

TEST_F(ResultsTest, CurvesHaveTheGapToTheReference) {
  const Json results = run({make("b")});
  const Json& loss = results.at("cases").at(0).at("curves").at(0);
  EXPECT_EQ(loss.at("channel"), "loss");
  EXPECT_EQ(loss.at("steps").size(), 10U);
  EXPECT_EQ(loss.at("series").at("second").at(3), 7.5);
  EXPECT_EQ(loss.at("gap").at("second").at(3), 0.25);
  EXPECT_EQ(loss.at("gap").at("second").at(4), 0.0);
  EXPECT_TRUE(loss.at("floor").is_null());
}

TEST_F(ResultsTest, AnUpdateWithoutRateOrEffectIsCalledWasted) {
  const Json results = run({make("b")});
  EXPECT_THAT(results.at("cases").at(0).at("notes").get<std::vector<std::string>>(),
              ElementsAre("second: update 1 has lr 0 and leaves every parameter unchanged: a wasted step",
                          "updates with lr 0, of 10: first 0, second 1"));
}

TEST_F(ResultsTest, MeasuredPower_IsInTheCaseResults) {
  const Case source = make("a");
  EXPECT_TRUE(run({source}).at("cases").at(0).at("power").is_null());
  const auto measured = [&](const fs::path& file, const std::string& sentence, const std::string& digest) {
    write_file(file, Json({{"schema", "parity.power/1"},
                           {"case", source.name},
                           {"arm", "second"},
                           {"clean", true},
                           {"case_digest", digest},
                           {"sentence", sentence}})
                         .dump());
  };
  const auto sentence = [&] {
    return run({source}).at("cases").at(0).at("power").at("sentence").get<std::string>();
  };
  measured(recorded_power_file(source), "beside the golden", case_digest(source));
  EXPECT_EQ(sentence(), "beside the golden");
  measured(power_file(source, folder_ / "out"), "here", case_digest(source));
  EXPECT_EQ(sentence(), "here") << "a case that was judged before has it too";
  measured(power_file(source, folder_ / "out"), "here", "another");
  EXPECT_EQ(sentence(),
            "here (measured before the case changed; run: parity power " + source.name + " --record)");
  write_file(power_file(source, folder_ / "out"), "damaged");
  EXPECT_EQ(sentence(), "beside the golden");
}

TEST_F(ResultsTest, WhatTheTrainersWarnedOfIsANoteOnTheCase) {
  const Json foreign = {{"warnings", {{"not", "a list"}}}}, warned = {{"warnings", {"warmup lasts 2 steps"}}};
  write_trace("a", falling_losses(), 0.5, warned);
  write_trace("b", falling_losses(), 0.5, warned);
  write_trace("c", falling_losses(), 0.5, foreign);
  const Json results =
      run({write_case("w", "[golden]\narms = []\n" + copying_arm("x", "a") + copying_arm("y", "b") +
                               copying_arm("z", "c") + losses_identical() + "arms = [\"x\", \"y\"]\n")});
  EXPECT_THAT(results.at("cases").at(0).at("notes").get<std::vector<std::string>>(),
              ElementsAre("x, y: warmup lasts 2 steps"));
}

TEST_F(ResultsTest, OtherReductionBuffersOverSameRanks_AreNoted) {
  const auto arm_of_two_ranks = [&](const std::string& name, const Json& buffers) {
    const std::filesystem::path trace = folder_ / "cases/topic" / name / "trace.h5";
    std::filesystem::create_directories(trace.parent_path());
    for (const int64_t rank : {1, 0}) {
      trace::Recorder recorder({trace, Json::object(), {{"reduction_buffers", buffers}}, {}, 0, rank, 2});
      for (int64_t step = 1; step <= 10; ++step) {
        recorder.begin_step(step);
        recorder.channel("loss", falling_losses()[static_cast<size_t>(step) - 1]);
        recorder.end_step();
      }
      recorder.finish();
    }
    return shell_arm(name, "test $RANK = 1 || cp {case_dir}/" + name + "/* {run_dir}") + "ranks = 2\n";
  };
  const Json flat = {"layers.0: 1 x 40 elements: w at 0, v at 30", "output: 1 x 8 elements: output at 0"};
  const std::string cases = "[golden]\narms = []\n" + arm_of_two_ranks("own", Json::array()) +
                            arm_of_two_ranks("flat", flat) + arm_of_two_ranks("flat_too", flat) +
                            losses_identical() + "arms = [\"own\", \"flat\"]\n";
  const Json results = run({write_case("c", cases)});
  EXPECT_THAT(
      results.at("cases").at(0).at("notes").get<std::vector<std::string>>(),
      ElementsAre(
          "flat, flat_too: gradients are reduced in 2 flat buffers, of layers.0 (1 x 40 elements) and "
          "output (1 x 8 elements)"));
}

TEST_F(ResultsTest, AnArmThatDoesNotTrainFailsWithoutBeingAsked) {
  write_trace("flat", {8, 8.1, 8, 8.1, 8, 8.1, 8, 8.1, 8, 8.1});
  const Json results = run({write_case("c", "[golden]\narms = []\n" + copying_arm("x", "flat") +
                                                copying_arm("y", "flat") + losses_identical())});
  const Json& checks = results.at("cases").at(0).at("checks");
  EXPECT_EQ(checks.size(), 5U);
  EXPECT_EQ(checks.at(1).at("kind"), "training");
  EXPECT_FALSE(checks.at(1).at("passed").get<bool>());
}

TEST_F(ResultsTest, NumbersThatJsonLacksAreTexts) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(finite_json(Json{{"a", {1.5, inf, -inf, std::nan("")}}}).dump(),
            R"({"a":[1.5,"inf","-inf","nan"]})");
  std::vector<double> broken = falling_losses();
  broken[9] = std::nan("");
  write_trace("b", broken);
  run({make("b")});
  const Json results = Json::parse(read_file(folder_ / "out/results.json"));
  EXPECT_EQ(results.at("cases").at(0).at("curves").at(0).at("series").at("second").at(9), "nan");
  EXPECT_FALSE(results.at("cases").at(0).at("passed").get<bool>());
}

TEST_F(ResultsTest, AMissingGoldenFailsWithTheCommandThatMakesIt) {
  const Json results = run({make("a", "")});
  const Json& check = results.at("cases").at(0).at("checks").back();
  EXPECT_EQ(check.at("verdict"), "missing");
  EXPECT_THAT(check.at("sentence").get<std::string>(), HasSubstr("parity golden record"));
  EXPECT_EQ(exit_code_of(results), ExitCode::missing);
}

TEST_F(ResultsTest, Golden_IsRecordedOnceHoldsAndCatchesAChange) {
  EXPECT_EQ(exit_code_of(run({make("a", "")}, golden::GoldenMode::create_missing)), ExitCode::agree);
  const fs::path golden = folder_ / "golden/topic/c.h5";
  const std::string bytes = read_file(golden);
  EXPECT_EQ(exit_code_of(run({make("a", "")})), ExitCode::agree);
  EXPECT_EQ(exit_code_of(run({make("a", "")}, golden::GoldenMode::update_changed)), ExitCode::agree);
  EXPECT_EQ(read_file(golden), bytes);
  EXPECT_TRUE(diff_with_last_run(make("a", ""), folder_ / "out").identical);
  std::vector<double> other = falling_losses();
  other[9] = std::nextafter(other[9], 0);
  write_trace("a", other);
  const Json results = run({make("a", "")});
  EXPECT_EQ(exit_code_of(results), ExitCode::differ);
  EXPECT_FALSE(diff_with_last_run(make("a", ""), folder_ / "out").identical);
  const Json& golden_curve = results.at("cases").at(0).at("curves").at(0).at("golden");
  EXPECT_EQ(golden_curve.at("first").at(9), 5.75);
}

TEST_F(ResultsTest, NothingIsRecordedWhileACheckFails) {
  const Json results = run({make("b", "")}, golden::GoldenMode::update_all);
  EXPECT_FALSE(fs::exists(folder_ / "golden/topic/c.h5"));
  EXPECT_THAT(results.at("cases").at(0).at("checks").back().at("sentence").get<std::string>(),
              HasSubstr("was not recorded"));
}

TEST_F(ResultsTest, ShardsMergeIntoOneAndDuplicatesAreRefused) {
  run({make("a")});
  merge_results({folder_ / "out"}, folder_ / "elsewhere");
  const Json one = Json::parse(read_file(folder_ / "elsewhere/results.json"));
  EXPECT_THAT(one.at("cases").at(0).at("arms").at(0).at("trace").get<std::string>(),
              testing::StartsWith("../out/runs/"));
  EXPECT_THROW(merge_results({folder_ / "out", folder_ / "out"}, folder_), UserError);
  EXPECT_THROW(merge_results({folder_ / "none"}, folder_), UserError);
}

TEST_F(ResultsTest, CasesOfOneNameKeepTheirOwnResults) {
  const Case agrees = make("a");
  Case differs = write_case("d", "[golden]\narms = []\n" + copying_arm("first", "a") +
                                     copying_arm("second", "b") + losses_identical());
  differs.name = agrees.name;
  const Json results = run({agrees, differs});
  ASSERT_EQ(results.at("cases").size(), 2U);
  EXPECT_TRUE(results.at("cases").at(0).at("passed").get<bool>());
  EXPECT_FALSE(results.at("cases").at(1).at("passed").get<bool>());
}

TEST_F(ResultsTest, Golden_NamesItsCaseButNoFolder) {
  const Case source = make("a", "");
  run({source}, golden::GoldenMode::create_missing);
  EXPECT_EQ(golden::read_golden(source.golden_file).origin.command, "parity golden record topic/c");
  EXPECT_THAT(read_file(source.golden_file), testing::Not(HasSubstr(folder_.string())));
}

}  // namespace
}  // namespace parity::suite
