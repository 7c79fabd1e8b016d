// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/compare/page.hpp"

#include <cmath>

#include <gmock/gmock.h>

#include "tests/reports/compare/comparison_sample.hpp"

namespace parity::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Returns the page without its scripts and styles, but with its data.
std::string page_body(const Comparison& pair) {
  const std::string page = comparison_page(pair);
  const size_t begin = page.find("<body");
  return page.substr(begin, page.rfind("<script>\n") - begin);
}

TEST(ComparisonPage, Order_IsLossThenDifferences) {
  EXPECT_EQ(curve_order(sample_comparison().channels), (std::vector<size_t>{2, 1, 0}));
}

TEST(ComparisonPage, HasVerdictFilesAndCurves) {
  const std::string html = page_body(sample_comparison());
  EXPECT_THAT(html, HasSubstr("different: 1 of 2 common channels"));
  EXPECT_THAT(html, HasSubstr("<code>a.csv</code>"));
  EXPECT_THAT(html, HasSubstr(R"("series":[[0,[3,2,1]],[1,[3,2,1.5]]],"gap":[[1,[0,0,0.5]]])"));
  EXPECT_THAT(html, Not(HasSubstr("Thinned")));
  EXPECT_THAT(html, Not(HasSubstr("grey band")));
}

TEST(ComparisonPage, ThreeSides_AreNamedInEachRow) {
  Comparison three = sample_comparison();
  three.sides.push_back({"c.csv", {{"name", "c.csv"}}});
  ComparedChannel& loss = three.channels[2];
  loss.rows.push_back({"c.csv", false, "different", {"2"}});
  loss.curve.curve.series.push_back({"c.csv", {std::nullopt, 2.0, 4.0}});
  loss.curve.curve.gap.push_back({"c.csv", {std::nullopt, 0.0, 3.0}});
  const std::string html = page_body(three);
  EXPECT_EQ(loss.verdict(), "different");
  EXPECT_THAT(html, HasSubstr(R"([2,[null,2,4]]])"));
  EXPECT_THAT(html, HasSubstr("<td><code>c.csv</code></td>"));
  EXPECT_THAT(html, HasSubstr(R"("arms":["a.csv","b.csv","c.csv"])"));
}

TEST(ComparisonPage, Noise_IsABandWithAName) {
  Comparison pair = sample_comparison();
  pair.band = "the largest gap of other seeds";
  pair.channels[1].curve.curve.floor = {0.1, std::nullopt, 0.3};
  EXPECT_THAT(page_body(pair), HasSubstr(R"("floor":[0.1,null,0.3])"));
  EXPECT_THAT(page_body(pair), HasSubstr("Its grey band is the largest gap of other seeds."));
}

TEST(ComparisonPage, Tables_HaveHeatAndNotes) {
  Comparison pair = sample_comparison();
  pair.channels.clear();
  pair.tables = {{"Blocks", {"block", "wq"}, {{{"0"}, {"1e-8", 0.5}}}, "1 more"},
                 {"Rules", {"rule"}, {}, "none"}};
  const std::string html = page_body(pair);
  EXPECT_THAT(html, HasSubstr(R"(<td class="heat" style="--heat: 25%">1e-8</td>)"));
  EXPECT_THAT(html, HasSubstr("1 more"));
  EXPECT_THAT(html, HasSubstr("none"));
  EXPECT_THAT(html, Not(HasSubstr("<th scope=\"col\">rule</th>"))) << "a table without rows has no head";
  EXPECT_THAT(html, Not(HasSubstr("lower plot")));
}

TEST(ComparisonPage, EqualSteps_AreStoredOnce) {
  EXPECT_THAT(page_body(sample_comparison()), Not(HasSubstr("steps-1")));
}

TEST(ComparisonPage, Names_AreEscaped) {
  Comparison pair = sample_comparison();
  const std::string bad = "<script>alert(1)</script>";
  pair.title = pair.verdict = pair.band = "</script>" + bad;
  for (ComparedSide& side : pair.sides)
    side = {bad, {{"name", bad}}};
  pair.notes = {bad};
  pair.channels.push_back(sample_channel(bad, false));
  pair.channels.back().words = pair.channels.back().rows[0].cells = {bad};
  pair.tables = {{bad, {bad}, {{{bad}}, {{bad, -1, true}}}, bad}};
  const std::string page = comparison_page(pair);
  EXPECT_THAT(page, Not(HasSubstr("alert(1)</script>")));
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(1)"));
}

TEST(ComparisonPage, ThinnedCurve_SaysSo) {
  Comparison pair = sample_comparison();
  Curve whole;
  for (int64_t step = 0; step < 4'000; ++step)
    whole.steps.push_back(step);
  whole.series = {{"a.csv", std::vector<Value>(4'000, 1.0 / 3)}};
  pair.channels[2].curve = overlay_curve(std::move(whole));
  EXPECT_THAT(page_body(pair), HasSubstr("two points stand for up to 4 steps"));
  EXPECT_THAT(page_body(pair), HasSubstr("[0.3333333,0.3333333,"));
}

TEST(ComparisonPage, ValuesThatAreNotFinite_AreJson) {
  Comparison pair = sample_comparison();
  pair.channels[2].curve.curve.series[0].values = {NAN, INFINITY, -INFINITY};
  EXPECT_THAT(page_body(pair), HasSubstr(R"(["nan","inf","-inf"])"));
}

TEST(ComparisonPage, ManyChannels_AreFolded) {
  Comparison pair = sample_comparison();
  for (int i = 0; i < 10; ++i)
    pair.channels.push_back(sample_channel("c" + std::to_string(i), true));
  EXPECT_THAT(page_body(pair), HasSubstr("<summary>7 more channels</summary>"));
}

}  // namespace
}  // namespace parity::reports
