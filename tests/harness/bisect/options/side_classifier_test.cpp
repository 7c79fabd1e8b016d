// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/options/side_classifier.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace parity::bisect {
namespace {

using enum Likeness;
constexpr double roundoff = 0x1p-24;

RunCurves run(const std::vector<double>& loss, const std::vector<int64_t>& pairs = {}) {
  RunCurves curves;
  for (size_t i = 0; i < loss.size(); ++i)
    curves.steps.push_back(static_cast<int64_t>(i) + 1);
  curves.channels["loss"].values = loss;
  if (!pairs.empty())
    curves.channels["mask_pairs"].values = pairs;
  return curves;
}

RunCurves failed(results::FailureKind kind) {
  RunCurves curves;
  curves.failure_kind = kind;
  curves.failure = "it " + std::string(name_of(kind));
  return curves;
}

TEST(SideLikenessTest, ARunIsLikeTheSideWhoseCurveItHas) {
  const RunCurves good = run({8, 7, 6}), bad = run({8, 6.5, 4});
  const SideClassifier sides(good, bad, {"loss"}, roundoff);
  EXPECT_TRUE(sides.differ());
  EXPECT_EQ(sides.divergence().step, 2);
  EXPECT_EQ(sides.of(good), Likeness::good);
  EXPECT_EQ(sides.of(bad), Likeness::bad);
  EXPECT_EQ(sides.of(run({8, 6.7, 4})), neither);
  EXPECT_EQ(sides.of(run({8, 6.5, 99})), Likeness::bad) << "nothing after the divergence counts";
  EXPECT_EQ(sides.of(run({8})), neither) << "a run that ended before it is like none";
}

TEST(SideLikenessTest, RoundingIsNoPartOfALargeDifference) {
  const RunCurves good = run({8, 7, 6}), bad = run({8 * (1 + 1e-7), 7, 4});
  const SideClassifier sides(good, bad, {"loss"}, roundoff);
  EXPECT_EQ(sides.first_bit().step, 1);
  EXPECT_EQ(sides.divergence().step, 3) << "the rounding at step 1 is not where they diverge";
  EXPECT_EQ(sides.of(run({8 * (1 + 1e-7), 7, 6})), Likeness::good);
  EXPECT_EQ(sides.of(run({8, 7, 4 * (1 - 1e-7)})), Likeness::bad);
}

TEST(SideLikenessTest, TheToleranceLiesHalfWayOnAScaleOfLogarithms) {
  const RunCurves good = run({1.0}), bad = run({0.99});
  const SideClassifier sides(good, bad, {"loss"}, roundoff);
  EXPECT_DOUBLE_EQ(sides.tau(), std::sqrt(roundoff * sides.largest().size));
  EXPECT_EQ(sides.of(run({1 - 0.5 * sides.tau()})), Likeness::good);
  EXPECT_EQ(sides.of(run({1 - 2 * sides.tau()})), neither);
}

TEST(SideLikenessTest, WhereTheDifferenceIsRoundingEveryBitCounts) {
  const RunCurves good = run({1.0, 1.0}), bad = run({std::nextafter(1.0, 2.0), 1 + 0x1p-22});
  const SideClassifier sides(good, bad, {"loss"}, roundoff);
  EXPECT_EQ(sides.tau(), 0);
  EXPECT_EQ(sides.divergence().step, 1);
  EXPECT_EQ(sides.of(run({std::nextafter(1.0, 2.0), 0})), Likeness::bad);
  EXPECT_EQ(sides.of(run({std::nextafter(1.0, 0.0), 0})), neither);
}

TEST(SideLikenessTest, TheSameBitsAreNoDifference) {
  const RunCurves good = run({8, NAN});
  EXPECT_FALSE(SideClassifier(good, good, {"loss"}, roundoff).differ())
      << "who brings a NaN is searched like any";
}

TEST(SideLikenessTest, ANanIsFarFromEveryNumber) {
  const RunCurves good = run({8, 7}), bad = run({8, NAN});
  const SideClassifier sides(good, bad, {"loss"}, roundoff);
  EXPECT_EQ(sides.divergence().step, 2);
  EXPECT_EQ(sides.of(run({8, NAN})), Likeness::bad);
  EXPECT_EQ(sides.of(run({8, 7})), Likeness::good);
  EXPECT_EQ(sides.of(run({8, 9})), neither);
}

TEST(SideLikenessTest, WholeNumbersAreTheSameOrNot) {
  const RunCurves good = run({8}, {1000000}), bad = run({8}, {1000001});
  const SideClassifier sides(good, bad, {"mask_pairs"}, roundoff);
  EXPECT_EQ(sides.largest().size, 1);
  EXPECT_EQ(sides.of(run({8}, {1000002})), neither);
}

TEST(SideLikenessTest, PathChannels_CountOnlyWhereAskedFor) {
  EXPECT_EQ(channels_of_interest(run({8}, {1}), run({7}, {2}), {}), std::vector<std::string>{"loss"});
  EXPECT_EQ(channels_of_interest(run({8}, {1}), run({7}, {2}), {"mask_*"}),
            std::vector<std::string>{"mask_pairs"});
  RunCurves only_whole = run({8}, {1});
  only_whole.channels.erase("loss");
  EXPECT_EQ(channels_of_interest(only_whole, only_whole, {}), std::vector<std::string>{"mask_pairs"});
}

TEST(SideLikenessTest, AChannelThatOneSideLacksDiffers) {
  const RunCurves good = run({8}), bad = run({8}, {5});
  const SideClassifier sides(good, bad, {"loss", "mask_pairs"}, roundoff);
  EXPECT_TRUE(sides.differ());
  EXPECT_EQ(sides.of(run({8})), Likeness::good);
}

TEST(SideLikenessTest, WhoFailsAsTheBadSideDoesIsLikeIt) {
  const RunCurves good = run({8}), bad = failed(results::FailureKind::crashed);
  const SideClassifier sides(good, bad, {}, roundoff);
  EXPECT_TRUE(sides.differ());
  EXPECT_TRUE(sides.by_failure());
  EXPECT_EQ(sides.of(run({99})), Likeness::good);
  EXPECT_EQ(sides.of(failed(results::FailureKind::crashed)), Likeness::bad);
  EXPECT_EQ(sides.of(failed(results::FailureKind::bad_config)), unknown);
}

TEST(SideLikenessTest, FailedRunBetweenFinishedSides_IsUnknown) {
  const RunCurves good = run({8}), bad = run({7});
  EXPECT_EQ(SideClassifier(good, bad, {"loss"}, roundoff).of(failed(results::FailureKind::crashed)), unknown);
}

TEST(CurveRulerTest, AllChannelsThatPartAtTheFirstStepAreNamed) {
  RunCurves good = run({8, 8}), bad = run({8, 4});
  good.channels["lr"].values = std::vector<double>{1, 1};
  bad.channels["lr"].values = std::vector<double>{1, 0.9};
  const CurveGap gap = CurveRuler(good, bad, {"loss", "lr"}).first(good, bad, 0);
  EXPECT_EQ(gap.channel, "loss");
  EXPECT_DOUBLE_EQ(gap.size, 0.5);
  EXPECT_EQ(gap.channels, (std::vector<std::string>{"loss", "lr"}));
}

}  // namespace
}  // namespace parity::bisect
