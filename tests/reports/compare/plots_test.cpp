// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/compare/plots.hpp"

#include <filesystem>

#include <gmock/gmock.h>

#include "tests/reports/compare/comparison_sample.hpp"
#include "tests/support/scratch.hpp"

namespace parity::reports {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

class ComparisonPlotsTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    if (run_shell("gnuplot --version").status != 0)
      GTEST_SKIP() << "needs gnuplot, found none";
  }
};

TEST_F(ComparisonPlotsTest, EachChannel_IsDrawnTwice) {
  Comparison pair = sample_comparison();
  pair.title = "after_the <b>change</b>";
  pair.band = "the largest gap of other seeds";
  pair.channels[1].curve.curve.floor = {0.1, 0.1, 0.1};
  EXPECT_EQ(write_comparison_plots(pair, folder / "plots"), 3U);
  const std::string drawing = read_file(folder / "plots/zeta.svg");
  for (const char* words :
       {"a.csv", "b.csv", "gap to a.csv", "the largest gap of other seeds", "different; steps 3"})
    EXPECT_THAT(drawing, HasSubstr(words));
  EXPECT_TRUE(read_file(folder / "plots/zeta.png").starts_with("\x89PNG"));
  const std::string page = read_file(folder / "plots/plots.md");
  EXPECT_THAT(page, HasSubstr("![zeta](zeta.png)"));
  EXPECT_THAT(page, HasSubstr("| <code>zeta</code> | different | 3 |"));
  EXPECT_THAT(page, Not(HasSubstr("<b>")));
  EXPECT_FALSE(fs::exists(folder / "plots/comparison.gnuplot"));
}

TEST_F(ComparisonPlotsTest, ManyChannels_AreCutAndSaidSo) {
  Comparison pair = sample_comparison();
  for (size_t i = 0; i < most_drawn; ++i)
    pair.channels.push_back(sample_channel("c" + std::to_string(i), true));
  EXPECT_EQ(write_comparison_plots(pair, folder), most_drawn);
  EXPECT_THAT(read_file(folder / "plots.md"), HasSubstr("Only the first 24 channels are drawn."));
}

TEST_F(ComparisonPlotsTest, WithoutCurves_OnlyTheListIsWritten) {
  Comparison pair = sample_comparison();
  pair.channels.clear();
  pair.notes = {"*left* out"};
  EXPECT_EQ(write_comparison_plots(pair, folder), 0U);
  EXPECT_THAT(read_file(folder / "plots.md"), HasSubstr("There are no curves"));
  EXPECT_THAT(read_file(folder / "plots.md"), HasSubstr("\\*left\\* out"));
}

}  // namespace
}  // namespace parity::reports
