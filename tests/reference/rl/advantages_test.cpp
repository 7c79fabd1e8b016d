// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/rl/advantages.hpp"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>

#include "harness/base/error.hpp"

namespace parity::reference {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;

const std::vector<double> rewards = {1, 0, 0, -1};

TEST(AdvantagesTest, MeanTakesTheGroupsMeanAway) {
  EXPECT_THAT(advantages(rewards, AdvantageRule::mean), ElementsAre(1, 0, 0, -1));
  EXPECT_THAT(advantages(std::vector<double>{3, 1}, AdvantageRule::mean), ElementsAre(1, -1));
}

TEST(AdvantagesTest, DeviationsDifferByTheirDivisor) {
  EXPECT_THAT(
      advantages(rewards, AdvantageRule::population_std),
      ElementsAre(DoubleEq(1 / (std::sqrt(0.5) + 1e-6)), 0, 0, DoubleEq(-1 / (std::sqrt(0.5) + 1e-6))));
  EXPECT_THAT(advantages(rewards, AdvantageRule::sample_std)[0], DoubleEq(1 / (std::sqrt(2.0 / 3) + 1e-6)));
}

TEST(AdvantagesTest, EqualRewardsTeachNothing) {
  for (const AdvantageRule rule :
       {AdvantageRule::mean, AdvantageRule::population_std, AdvantageRule::sample_std})
    EXPECT_THAT(advantages(std::vector<double>{0.5, 0.5}, rule), ElementsAre(0, 0));
}

TEST(AdvantagesTest, AGroupOfOneKeepsItsRewardAsVerlHasIt) {
  EXPECT_THAT(advantages(std::vector<double>{0.5}, AdvantageRule::sample_std),
              ElementsAre(DoubleEq(0.5 / (1 + 1e-6))));
  EXPECT_THAT(advantages(std::vector<double>{0.5}, AdvantageRule::mean), ElementsAre(0));
}

TEST(AdvantagesTest, NamesARewardThatIsNotFinite) {
  const std::vector<double> bad = {1, std::nan("")};
  EXPECT_THAT([&] { advantages(bad, AdvantageRule::mean); },
              testing::ThrowsMessage<UserError>(testing::HasSubstr("reward 2 of a group of 2 is nan")));
}

/// Rewards of prompts with 2, 4 and 1 completions. All have the mean 1/2 and squares that add up to 3/2.
const std::vector<double> uneven = {1, 0, 1, 1, 0, 0, 0.5};
const std::vector<RewardGroup> uneven_groups = {{0, 2}, {2, 4}, {6, 1}};

TEST(UpdateAdvantagesTest, GroupsOfAnySize_HaveTheirOwnDeviation) {
  const std::vector<double> found =
      update_advantages(uneven, uneven_groups, AdvantageRule::sample_std, DeviationScope::group);
  const double two = 0.5 / (std::sqrt(0.5) + 1e-6), four = 0.5 / (std::sqrt(1.0 / 3) + 1e-6);
  EXPECT_THAT(found, ElementsAre(DoubleEq(two), DoubleEq(-two), DoubleEq(four), DoubleEq(four),
                                 DoubleEq(-four), DoubleEq(-four), DoubleEq(0.5 / (1 + 1e-6))));
  EXPECT_EQ(update_advantages(uneven, uneven_groups, AdvantageRule::population_std, DeviationScope::group)[6],
            0)
      << "a group of one is its own mean";
}

TEST(UpdateAdvantagesTest, TheUpdatesDeviation_DividesEachGroupAlike) {
  const std::vector<double> found =
      update_advantages(uneven, uneven_groups, AdvantageRule::population_std, DeviationScope::update);
  const double each = 0.5 / (std::sqrt(1.5 / 7) + 1e-6);
  EXPECT_THAT(found, ElementsAre(DoubleEq(each), DoubleEq(-each), DoubleEq(each), DoubleEq(each),
                                 DoubleEq(-each), DoubleEq(-each), 0));
  EXPECT_THAT(update_advantages(uneven, uneven_groups, AdvantageRule::mean, DeviationScope::update),
              ElementsAre(0.5, -0.5, 0.5, 0.5, -0.5, -0.5, 0));
}

TEST(UpdateAdvantagesTest, EqualRewardsAndBadOnes) {
  const std::vector<double> equal = {2, 2, 2};
  EXPECT_THAT(update_advantages(equal, std::vector<RewardGroup>{{0, 1}, {1, 2}}, AdvantageRule::sample_std,
                                DeviationScope::update),
              ElementsAre(0, 0, 0));
  const std::vector<double> bad = {1, 2, std::nan("")};
  EXPECT_THROW(update_advantages(bad, std::vector<RewardGroup>{{0, 1}, {1, 2}}, AdvantageRule::sample_std,
                                 DeviationScope::update),
               UserError);
}

TEST(PreferencesTest, TheLargerRewardIsPreferred) {
  EXPECT_EQ(preferences(std::vector<double>{0, 1}), (std::vector<double>{-1, 1}));
  EXPECT_EQ(preferences(std::vector<double>{2, 1}), (std::vector<double>{1, -1}));
  EXPECT_EQ(preferences(std::vector<double>{1, 1}), (std::vector<double>{0, 0}));
  EXPECT_THROW(preferences(std::vector<double>{1, std::nan("")}), UserError);
}

TEST(OverlongTest, TheLastTokensCost) {
  EXPECT_EQ(overlong_punishment(6, 8, 2), 0);
  EXPECT_EQ(overlong_punishment(7, 8, 2), 0.5);
  EXPECT_EQ(overlong_punishment(8, 8, 2), 1);
  EXPECT_EQ(overlong_punishment(8, 8, 0), 0) << "no buffer, no cost";
}

}  // namespace
}  // namespace parity::reference
