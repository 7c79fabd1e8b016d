// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/model/suite/results.hpp"

#include <cmath>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/results/read_case.hpp"
#include "tests/reports/sample.hpp"

namespace parity::reports {
namespace {

using ::testing::HasSubstr;

/// Returns the message of parsing the sample after `change`; empty if it is accepted.
std::string refusal(const std::function<void(Json&)>& change) {
  Json json = sample_json();
  change(json);
  try {
    parse_results(json.dump(), "results.json");
  } catch (const UserError& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    return error.what();
  }
  return "";
}

TEST(ResultsTest, HoldsWhatTheFileSays) {
  const Results results = sample();
  ASSERT_EQ(results.cases.size(), 6U);
  EXPECT_EQ(results.cases_failed(), 3U);
  EXPECT_EQ(results.checks(), 20U);
  EXPECT_EQ(results.checks_failed(), 7U);
  EXPECT_EQ(results.runs_cached, 4);
  const Case warmup = sample_case(0);
  EXPECT_EQ(warmup.name, "lr/warmup_index");
  EXPECT_EQ(warmup.reference, "one_indexed");
  EXPECT_EQ(warmup.checks[0].parameters["lag"], 1);
  ASSERT_EQ(warmup.curves[0].gap.size(), 1U);
  EXPECT_EQ(warmup.curves[0].gap[0].arm, "zero_indexed");
}

TEST(ResultsTest, KeepsNanInfinityAndMissingStepsApart) {
  const results::Curve loss = sample_case(4).curves[0];
  const std::vector<Value>& values = loss.series[1].values;
  EXPECT_TRUE(std::isinf(*values[4]));
  EXPECT_TRUE(std::isnan(*values[5]));
  EXPECT_FALSE(values[6].has_value());
}

TEST(ResultsTest, ListsTheSeriesOfACurveInTheOrderOfTheArms) {
  const Case item = sample_case(3);
  for (size_t i = 0; i < item.arms.size(); ++i)
    EXPECT_EQ(item.curves[0].series[i].arm, item.arms[i].name);
}

/// The sample with a check of loss that a bound judges, at two steps of the curve.
Json sample_with_bound() {
  Json json = sample_json();
  Json& item = json["cases"][0];
  item["calibration"] = {{"command", "parity calibrate lr/warmup_index"}, {"runs", 7}, {"kinds", {"twin"}}};
  item["checks"][0]["bounds"] = {{{"channel", "loss"},
                                  {"words", "8 measured floors"},
                                  {"steps", {1, 3}},
                                  {"gap", {0, 1e-6}},
                                  {"floor", {0, 1e-6}},
                                  {"limit", {0, 8e-6}}}};
  return json;
}

TEST(ResultsTest, LaysABoundOutOverTheStepsOfItsCurve) {
  const Json json = sample_with_bound();
  const Case item = results::read_case(json["cases"][0]);
  const Curve loss = with_bounds(item.curves[0], item);
  ASSERT_EQ(loss.bounds.size(), 1U);
  const Bound& bound = loss.bounds[0];
  EXPECT_TRUE(bound.to_reference);
  EXPECT_EQ(bound.arms, (std::vector<std::string>{"one_indexed", "zero_indexed"}));
  ASSERT_EQ(bound.limit.size(), loss.steps.size());
  EXPECT_EQ(bound.limit[0], 0.0);
  EXPECT_FALSE(bound.limit[1].has_value());
  EXPECT_EQ(bound.limit[2], 8e-6);
  EXPECT_EQ(item.calibration.value().runs, 7);
  EXPECT_FALSE(sample_case(0).calibration) << "no floors were measured";
}

TEST(ResultsTest, RefusesABoundThatIsNotAsLongAsItsSteps) {
  Json json = sample_with_bound();
  json["cases"][0]["checks"][0]["bounds"][0]["limit"] = {1};
  try {
    results::read_case(json["cases"][0], "cases[0]");
    FAIL() << "no complaint";
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("cases[0].checks[0].bounds[0].limit is not as long as its steps"));
  }
}

TEST(ResultsTest, NeedsOnlyAFewFields) {
  const ResultsFile results = parse_results(
      R"({"schema":"parity.results/1","cases":[{"name":"a/b","passed":true,"verdict":"identical","arms":[{"name":"x","status":"complete"}],"checks":[]}]})",
      "results.json");
  EXPECT_TRUE(results.results().passed());
  EXPECT_EQ(results.whole(0).title, "a/b");
  EXPECT_EQ(results.whole(0).reference, "x");
}

TEST(ResultsTest, AcceptsAnotherMinorVersionAndUnknownFields) {
  EXPECT_EQ(refusal([](Json& json) {
              json["schema"] = "parity.results/2.4";
              json["cases"][0]["colour_of_the_sky"] = "blue";
            }),
            "");
}

TEST(ResultsTest, RefusesAnotherMajorVersion) {
  for (const char* schema : {"parity.results/3", "parity.results/10", "parity.trace/1", ""})
    EXPECT_THAT(refusal([&](Json& json) { json["schema"] = schema; }), HasSubstr("reads parity.results/2"))
        << schema;
}

struct Damage {
  const char* name;
  std::function<void(Json&)> change;
  const char* message;
};

class DamagedResults : public ::testing::TestWithParam<Damage> {};

TEST_P(DamagedResults, AreRefusedWithThePlaceInTheMessage) {
  EXPECT_THAT(refusal(GetParam().change), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    ResultsTest, DamagedResults,
    ::testing::Values(
        Damage{"NoCases", [](Json& json) { json.erase("cases"); }, "cases is missing"},
        Damage{"NoVerdict", [](Json& json) { json["cases"][2]["checks"][0].erase("verdict"); },
               "cases[2].checks[0].verdict is missing"},
        Damage{"UnknownVerdict", [](Json& json) { json["cases"][1]["verdict"] = "fine"; },
               "cases[1].verdict is not a verdict: 'fine' (known: identical, rounding"},
        Damage{"VerdictOfAnotherType", [](Json& json) { json["cases"][1]["verdict"] = 3; },
               "cases[1].verdict is not a string"},
        Damage{"ShortSeries",
               [](Json& json) { json["cases"][0]["curves"][0]["series"]["one_indexed"].erase(0); },
               "9 values for 10 steps"},
        Damage{"SeriesOfNoArm",
               [](Json& json) { json["cases"][0]["curves"][0]["gap"]["other"] = Json::array(); },
               "cases[0].curves[0].gap.other is not the series of an arm"},
        Damage{"WordInASeries",
               [](Json& json) { json["cases"][0]["curves"][0]["series"]["one_indexed"][0] = "NaN"; },
               "is not a number, \"nan\""},
        Damage{"HiddenFailure", [](Json& json) { json["cases"][3]["passed"] = true; },
               "cases[3].passed is true, but a check"},
        Damage{"UnknownStatus", [](Json& json) { json["cases"][0]["arms"][0]["status"] = "ok"; },
               "cases[0].arms[0].status is not \"complete\""},
        Damage{"ListInMeasured",
               [](Json& json) { json["cases"][0]["checks"][0]["measured"]["x"] = Json::array(); },
               "measured.x is not a number, string or boolean"}),
    [](const auto& row) { return row.param.name; });

TEST(ResultsTest, RefusesATruncatedFile) {
  const std::string text = read_file(sample_path());
  EXPECT_THROW(
      {
        try {
          parse_results(text.substr(0, text.size() / 2), "half.json");
        } catch (const UserError& error) {
          EXPECT_THAT(error.what(), HasSubstr("half.json: not JSON"));
          throw;
        }
      },
      UserError);
}

TEST(ResultsTest, SaysThatNothingRanWhereThereIsNoFile) {
  try {
    load_results("/nowhere/results.json");
    FAIL() << "accepted";
  } catch (const UserError& error) {
    EXPECT_EQ(error.code(), ExitCode::missing);
    EXPECT_THAT(error.what(), HasSubstr("no results at /nowhere/results.json"));
  }
}

}  // namespace
}  // namespace parity::reports
