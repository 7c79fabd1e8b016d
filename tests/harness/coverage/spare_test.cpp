// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/coverage/spare.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/coverage/arm_with.hpp"

namespace parity::coverage {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(SpareArms, ArmWithAPairOfItsOwn_IsKept) {
  EXPECT_THAT(spare_arms({arm_with("pairs/a:plain", {"sgd"}), arm_with("pairs/a:one", {"sgd", "tensor"}),
                          arm_with("rl/b:two", {"sgd", "fsdp"})}),
              IsEmpty());
}

TEST(SpareArms, ArmWhosePairsOthersHave_IsSpare) {
  EXPECT_THAT(spare_arms({arm_with("pairs/a:plain", {"sgd"}), arm_with("pairs/a:one", {"sgd", "tensor"}),
                          arm_with("rl/b:two", {"sgd", "tensor"})}),
              ElementsAre("pairs/a:one"));
}

TEST(SpareArms, OfTwoEqualArms_OneIsKept) {
  EXPECT_THAT(
      spare_arms({arm_with("pairs/a:one", {"sgd", "tensor"}), arm_with("pairs/b:two", {"sgd", "tensor"})}),
      ElementsAre("pairs/a:one"));
}

TEST(SpareArms, LastArmNextToPlain_CarriesItsPairs) {
  const std::vector<ArmFeatures> arms = {arm_with("pairs/a:plain", {"sgd", "tied"}),
                                         arm_with("pairs/a:one", {"sgd", "tied", "tensor"}),
                                         arm_with("pairs/b:two", {"sgd", "tensor", "latent"}),
                                         arm_with("pairs/b:three", {"tied", "tensor", "latent"})};
  EXPECT_THAT(spare_arms(arms), IsEmpty());
}

TEST(SpareArms, ActWithoutTrace_KeepsItsArm) {
  EXPECT_THAT(spare_arms({arm_with("pairs/a:one", {"sgd", "tensor"}, {"clipping"}),
                          arm_with("rl/b:two", {"sgd", "tensor"})}),
              IsEmpty());
}

TEST(SpareArms, OtherTopics_AreNotAsked) {
  EXPECT_THAT(spare_arms({arm_with("rl/a:one", {"sgd", "tensor"}), arm_with("rl/b:two", {"sgd", "tensor"})}),
              IsEmpty());
}

}  // namespace
}  // namespace parity::coverage
