// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/coverage/spare.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace parity::coverage {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

ArmFeatures arm_with(const std::string& name, const std::vector<std::string>& has,
                     const std::vector<std::string>& may_have = {}) {
  ArmFeatures result{name, std::vector<Held>(features().size(), Held::no)};
  for (const std::string& feature : has)
    result.held[find_feature(feature)] = Held::yes;
  for (const std::string& feature : may_have)
    result.held[find_feature(feature)] = Held::unknown;
  return result;
}

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
