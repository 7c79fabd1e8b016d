// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/model/checks/label.hpp"
#include "reports/model/curves/gap_scale.hpp"
#include "reports/model/curves/shown.hpp"
#include "reports/plots/script.hpp"
#include "reports/plots/static_plots.hpp"
#include "tests/reports/sample.hpp"
#include "tests/support/scratch.hpp"

namespace parity::reports {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

Curve gaps(const std::vector<Value>& values) {
  Curve curve;
  for (size_t i = 0; i < values.size(); ++i)
    curve.steps.push_back(static_cast<int64_t>(i) + 1);
  curve.gap.push_back({"b", values});
  return curve;
}

TEST(GapScaleTest, ZeroLiesOnALineOfItsOwnBelowTheSmallestGap) {
  const GapScale scale = gap_scale(gaps({0.0, 2e-7, 3e-5}));
  EXPECT_LT(scale.place(0), 1e-7);
  EXPECT_GT(scale.place(0), scale.bottom);
  EXPECT_EQ(scale.place(2e-7), 2e-7);
  EXPECT_EQ(scale.ticks.front(), (std::pair<std::string, double>{"0", scale.zero}));
  EXPECT_GT(scale.top, 3e-5);
}

TEST(GapScaleTest, WhatIsNoNumberLiesAboveTheLargest) {
  const GapScale scale = gap_scale(gaps({1.0, std::numeric_limits<double>::quiet_NaN()}));
  EXPECT_GT(scale.place(std::numeric_limits<double>::quiet_NaN()), 1.0);
  EXPECT_LT(scale.place(std::numeric_limits<double>::infinity()), scale.top);
  EXPECT_EQ(scale.ticks.back().first, "nan");
}

TEST(GapScaleTest, AllZerosHaveOneTick) {
  EXPECT_EQ(gap_scale(gaps({0.0, 0.0})).ticks.size(), 1U);
}

TEST(GapScaleTest, ManyDecadesHaveFewTicks) {
  EXPECT_LE(gap_scale(gaps({1e-300, 1e300})).ticks.size(), 8U);
}

TEST(GapScaleTest, Scale_ShowsFloorsAndBoundsNotTwinNoise) {
  Curve curve = gaps({2e-7, 3e-5});
  curve.floor = {1e-12, 1e-12};
  EXPECT_LT(gap_scale(curve).bottom, 1e-12);
  curve.bounds = {{.arms = {"a", "b"},
                   .golden = false,
                   .to_reference = true,
                   .words = "8 floors",
                   .gap = {2e-7, 3e-5},
                   .floor = {0.0, 1e-4},
                   .limit = {0.0, 8e-4}}};
  const GapScale scale = gap_scale(curve);
  EXPECT_GT(scale.bottom, 1e-12);
  EXPECT_GT(scale.top, 8e-4);
  EXPECT_EQ(scale.ticks.front().first, "1e-7") << "a bound of 0 is no gap of 0";
}

TEST(PlotScriptTest, NamesCannotLeaveTheirQuotes) {
  Case item;
  item.name = "'; system 'touch owned'; '\n`touch owned`";
  item.arms.emplace_back().name = "a'b";
  Curve curve;
  curve.channel = "loss";
  curve.steps = {1, 2};
  curve.series.push_back({"a'b", {1.0, std::nullopt}});
  const std::string script = plot_script(plot_texts(item, curve), curve, "/tmp/it's");
  EXPECT_THAT(script, HasSubstr("set label 1 '''; system ''touch owned''; '' `touch owned`: loss' at"));
  EXPECT_THAT(script, HasSubstr("title 'a''b'"));
  EXPECT_THAT(script, HasSubstr("set output '/tmp/it''s.svg'"));
  EXPECT_THAT(script, HasSubstr("\n1 1\n2 ?\nEOD"));
}

class StaticPlotsTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    if (run_shell("gnuplot --version").status != 0)
      GTEST_SKIP() << "needs gnuplot, found none";
  }
};

TEST_F(StaticPlotsTest, DrawEachCurveOfTheSampleTwice) {
  const ResultsFile results = sample_file();
  size_t curves = 0;
  for (const CaseLine& item : results.results().cases)
    curves += shown_curves(results.whole(item.place)).size();
  EXPECT_EQ(write_plots(results, folder / "plots", 2), curves);
  size_t drawings = 0, pictures = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder / "plots")) {
    const std::string content = read_file(entry.path());
    if (entry.path().extension() == ".svg") {
      EXPECT_NE(content.find("</svg>"), std::string::npos) << entry.path();
      ++drawings;
    } else if (entry.path().extension() == ".png") {
      EXPECT_TRUE(content.starts_with("\x89PNG")) << entry.path();
      ++pictures;
    } else {
      EXPECT_EQ(entry.path().filename(), "plots.md");
    }
  }
  EXPECT_EQ(drawings, curves);
  EXPECT_EQ(pictures, curves);
}

TEST_F(StaticPlotsTest, ShowArmsGapAndRoundingNoise) {
  write_plots(sample_file(), folder, 1);
  const std::string drawing = read_file(folder / "loss-accumulation-loss.svg");
  for (const char* words :
       {"loss/accumulation: loss", "one_of_four", "four_of_one", "gap to one_of_four", "rounding noise"})
    EXPECT_NE(drawing.find(words), std::string::npos) << words;
}

TEST_F(StaticPlotsTest, ShowFloorsAndBoundInPlaceOfRoundingNoise) {
  write_plots(sample_file(), folder, 1);
  const std::string drawing = read_file(folder / "loss-accumulation-grad_norm.svg");
  EXPECT_THAT(drawing, HasSubstr("measured floor"));
  EXPECT_THAT(drawing, HasSubstr("bound: 8 measured floors"));
  EXPECT_THAT(drawing, Not(HasSubstr("rounding noise")));
}

TEST_F(StaticPlotsTest, ListThemForAPullRequestWithoutMarkupOfNames) {
  write_plots(sample_file(), folder, 1);
  const std::string page = read_file(folder / "plots.md");
  EXPECT_THAT(page, HasSubstr("![lr/warmup\\_index: loss](lr-warmup_index-loss.png)"));
  EXPECT_THAT(page, Not(HasSubstr("<script>")));
  EXPECT_THAT(page, HasSubstr("❌"));
}

}  // namespace
}  // namespace parity::reports
