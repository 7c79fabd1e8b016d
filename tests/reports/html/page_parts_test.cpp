// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// The parts of the page: rows of similar checks, small pictures of curves, and the glossary.
#include <cmath>
#include <limits>
#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/html/glossary.hpp"
#include "reports/model/checks/groups.hpp"
#include "reports/model/curves/thin.hpp"
#include "tests/reports/sample.hpp"

namespace parity::reports {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Optional;
using ::testing::Pointee;

Check check_of(results::CheckKind kind, bool passed = true) {
  Check check;
  check.kind = kind;
  check.relation = kind == results::CheckKind::training ? "trained" : "identical";
  check.passed = passed;
  return check;
}

TEST(CheckGroupsTest, PassedChecksOfOneKind_AreOneGroup) {
  const std::vector<Check> checks = {
      check_of(results::CheckKind::training), check_of(results::CheckKind::pair),
      check_of(results::CheckKind::training), check_of(results::CheckKind::replicas)};
  const CheckGroups groups(checks);
  EXPECT_THAT(groups.of(0), Pointee(ElementsAre(0, 2)));
  EXPECT_EQ(groups.of(2), groups.of(0));
  EXPECT_EQ(groups.of(1), nullptr) << "a check between arms";
  EXPECT_EQ(groups.of(3), nullptr) << "one alone";
}

TEST(CheckGroupsTest, LawfulArms_AreOneGroup) {
  std::vector<Check> checks(2, check_of(results::CheckKind::laws));
  for (Check& check : checks) {
    check.relation = "lawful";
    check.verdict = "rounding";
  }
  EXPECT_THAT(CheckGroups(checks).of(0), Pointee(ElementsAre(0, 1)));
  EXPECT_EQ(checks[0].outcome(), "lawful");
  checks[0].verdict = "different";  // the case says so
  EXPECT_EQ(checks[0].outcome(), "different");
  checks[1].passed = false;
  EXPECT_EQ(checks[1].outcome(), "rounding");
  EXPECT_EQ(CheckGroups(checks).of(1), nullptr);
}

TEST(CheckGroupsTest, FailedCheck_StandsAlone) {
  const std::vector<Check> checks = {check_of(results::CheckKind::training),
                                     check_of(results::CheckKind::training, false),
                                     check_of(results::CheckKind::training)};
  const CheckGroups groups(checks);
  EXPECT_EQ(groups.of(1), nullptr);
  EXPECT_THAT(groups.of(0), Pointee(ElementsAre(0, 2)));
}

TEST(CheckGroupsTest, Page_ShowsEachGroupAsOneRow) {
  Json json = sample_json();
  json["cases"] = Json::array({json["cases"][2]});
  Json trained = json["cases"][0]["checks"][0];
  trained["kind"] = "training";
  trained["relation"] = "trained";
  const std::string before = as("html", parse_results(json.dump(), "before"));
  for (int i = 0; i < 5; ++i) {
    trained["sentence"] = "loss of arm " + std::to_string(i) + " fell";
    json["cases"][0]["checks"].push_back(trained);
  }
  const std::string page = as("html", parse_results(json.dump(), "grouped"));
  const auto rows = [](const std::string& text) {
    const std::regex row("<tbody class=\"check ");
    return std::distance(std::sregex_iterator(text.begin(), text.end(), row), {});
  };
  EXPECT_EQ(rows(page), rows(before) + 1);
  EXPECT_THAT(page, HasSubstr("5 checks hold"));
  EXPECT_THAT(page, HasSubstr("loss of arm 4 fell")) << "each is still found in the page";
}

TEST(ThinCurveTest, KeepsLastValuesLargestGapsAndNan) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  Curve curve;
  curve.steps = {1, 2, 3, 4, 5, 6};
  curve.series = {{"a", {6.0, 5.0, 4.0, std::nullopt, nan, 1.0}}};
  curve.gap = {{"b", {0.0, 0.5, 0.25, std::nullopt, 1.0, nan}}};
  const Curve thin = thin_curve(curve, 3);
  EXPECT_THAT(thin.steps, ElementsAre(2, 4, 6));
  EXPECT_THAT(thin.series[0].values[0], Optional(5.0));
  EXPECT_THAT(thin.series[0].values[1], Optional(4.0));
  EXPECT_TRUE(std::isnan(thin.series[0].values[2].value()));
  EXPECT_THAT(thin.gap[0].values[0], Optional(0.5));
  EXPECT_THAT(thin.gap[0].values[1], Optional(0.25));
  EXPECT_TRUE(std::isnan(thin.gap[0].values[2].value()));
}

TEST(CurvePictureTest, ShowsLossAndGapOfEachCase) {
  const std::string page = as("html", sample_file());
  const std::regex picture("<svg class=\"tiny\"[^>]*aria-label=\"loss of [^\"]* over steps 1 to 10");
  EXPECT_GE(std::distance(std::sregex_iterator(page.begin(), page.end(), picture), {}), 4);
  EXPECT_THAT(page, HasSubstr("<path class=\"a1 gap\""));
  EXPECT_THAT(page, HasSubstr("<path class=\"bad\"")) << "a loss that is nan has a cross";
}

TEST(GlossaryTest, ReadsTablesOfWords) {
  const std::vector<Word> words =
      glossary("# Title\n\n| word | meaning |\n|---|---|\n| arm | one `side` & [more](x.md) |\n");
  ASSERT_EQ(words.size(), 1U);
  EXPECT_EQ(words[0].word, "arm");
  EXPECT_EQ(words[0].meaning, "one <code>side</code> &amp; more");
}

TEST(GlossaryTest, Page_ExplainsItsWords) {
  const std::string page = as("html", sample_file());
  for (const char* word : {"arm", "golden", "floor", "gap", "collapse", "ULP", "verdict", "trace"})
    EXPECT_THAT(page, HasSubstr("<dt>" + std::string(word) + "</dt>"));
  EXPECT_THAT(page, Not(HasSubstr("FORMAT.md"))) << "a link to a file would lead nowhere";
}

}  // namespace
}  // namespace parity::reports
