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
