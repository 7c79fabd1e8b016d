// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/compare/page.hpp"

#include <cmath>

#include <gmock/gmock.h>

namespace parity::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

ComparedChannel channel(const std::string& name, bool agrees) {
  const std::vector<int64_t> steps = {1, 2, 3};
  const std::vector<double> a = {3, 2, 1}, b = {3, 2, agrees ? 1 : 1.5};
  return {name, agrees, agrees ? "identical" : "different", {"3"}, {}, pair_curve(steps, a, b)};
}

Comparison comparison() {
  Comparison pair;
  pair.verdict = "different: 1 of 2 common channels, at all 3 steps";
  pair.first = "a.csv", pair.second = "b.csv";
  pair.first_facts = pair.second_facts = {{"name", "a.csv"}};
  pair.heads = {"steps"};
  pair.channels = {channel("lr", true), channel("zeta", false), channel("loss", true)};
  return pair;
}

/// Returns the page without its scripts and styles, but with its data.
std::string page_body(const Comparison& pair) {
  const std::string page = comparison_page(pair);
  const size_t begin = page.find("<body");
  return page.substr(begin, page.rfind("<script>\n") - begin);
}

TEST(ComparisonPage, Order_IsLossThenDifferences) {
  EXPECT_EQ(curve_order(comparison().channels), (std::vector<size_t>{2, 1, 0}));
}

TEST(ComparisonPage, HasVerdictFilesAndCurves) {
  const std::string html = page_body(comparison());
  EXPECT_THAT(html, HasSubstr("different: 1 of 2 common channels"));
  EXPECT_THAT(html, HasSubstr("<code>a.csv</code>"));
  EXPECT_THAT(html, HasSubstr(R"("series":[[0,[3,2,1]],[1,[3,2,1.5]]],"gap":[[1,[0,0,0.5]]])"));
  EXPECT_THAT(html, Not(HasSubstr("Thinned")));
}

TEST(ComparisonPage, EqualSteps_AreStoredOnce) {
  EXPECT_THAT(page_body(comparison()), Not(HasSubstr("steps-1")));
}

TEST(ComparisonPage, Names_AreEscaped) {
  Comparison pair = comparison();
  const std::string bad = "<script>alert(1)</script>";
  pair.title = pair.verdict = pair.first = pair.second = "</script>" + bad;
  pair.first_facts = pair.second_facts = {{"name", bad}};
  pair.notes = {bad};
  pair.channels.push_back(channel(bad, false));
  pair.channels.back().words = pair.channels.back().cells = {bad};
  const std::string page = comparison_page(pair);
  EXPECT_THAT(page, Not(HasSubstr("alert(1)</script>")));
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(1)"));
}

TEST(ComparisonPage, ThinnedCurve_SaysSo) {
  Comparison pair = comparison();
  const std::vector<double> values(4'000, 1.0 / 3);
  std::vector<int64_t> steps;
  for (int64_t step = 0; step < 4'000; ++step)
    steps.push_back(step);
  pair.channels[2].curve = pair_curve(steps, values, values);
  EXPECT_THAT(page_body(pair), HasSubstr("two points stand for up to 4 steps"));
  EXPECT_THAT(page_body(pair), HasSubstr("[0.3333333,0.3333333,"));
}

TEST(ComparisonPage, ValuesThatAreNotFinite_AreJson) {
  Comparison pair = comparison();
  pair.channels[2].curve.first = {NAN, INFINITY, -INFINITY};
  EXPECT_THAT(page_body(pair), HasSubstr(R"(["nan","inf","-inf"])"));
}

TEST(ComparisonPage, ManyChannels_AreFolded) {
  Comparison pair = comparison();
  for (int i = 0; i < 10; ++i)
    pair.channels.push_back(channel("c" + std::to_string(i), true));
  EXPECT_THAT(page_body(pair), HasSubstr("<summary>7 more channels</summary>"));
}

}  // namespace
}  // namespace parity::reports
