// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/operators/judge/controls.hpp"

#include <cmath>

#include <gmock/gmock.h>

namespace parity::operators {
namespace {

using testing::ElementsAre;

const Values right = {DType::float32, {2, 2}, {1, 2, 3, 4}};

ControlSources sources_of_test() {
  return {{9, 8}, {{5, 6, 7, 8}}, {{1, 1, 1, 2}}, true};
}

TEST(ControlsTest, EachSpoilsInItsWay) {
  const ControlSources sources = sources_of_test();
  EXPECT_TRUE(std::isnan(spoiled(Control::unwritten_nan, right, sources)->at(3)));
  EXPECT_THAT(*spoiled(Control::unwritten_other, right, sources), ElementsAre(9, 8, 9, 8));
  EXPECT_THAT(*spoiled(Control::zeros, right, sources), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(*spoiled(Control::input_copy, right, sources), ElementsAre(5, 6, 7, 8));
  EXPECT_THAT(*spoiled(Control::one_ulp, right, sources), ElementsAre(1, 2, 3, 4 + 0x1p-21));
  EXPECT_THAT(*spoiled(Control::swapped_rows, right, sources), ElementsAre(3, 4, 1, 2));
  EXPECT_DOUBLE_EQ(spoiled(Control::missing_scale, right, sources)->at(0), std::sqrt(2.0));
  EXPECT_THAT(*spoiled(Control::forward_as_grad, right, sources), ElementsAre(1, 1, 1, 2));
}

TEST(ControlsTest, NothingToSpoil_DoesNotApply) {
  const Values zeros = {DType::float32, {3}, {0, 0, 0}};
  const ControlSources none;
  EXPECT_FALSE(spoiled(Control::zeros, zeros, none));
  EXPECT_FALSE(spoiled(Control::missing_scale, zeros, none));
  EXPECT_FALSE(spoiled(Control::swapped_rows, zeros, none));
  EXPECT_FALSE(spoiled(Control::input_copy, zeros, none));
  EXPECT_FALSE(spoiled(Control::forward_as_grad, right, none));
  EXPECT_FALSE(spoiled(Control::unwritten_nan, Values{DType::float32, {0}, {}}, none));
}

TEST(ControlsTest, OnlyClaimsAboutBitsDetectOneUlp) {
  compare::Check check;
  check.of_operator.emplace();
  for (const auto& [relation, detects] : {std::pair{compare::Relation::identical, true},
                                          {compare::Relation::invariant, true},
                                          {compare::Relation::equivalent, false},
                                          {compare::Relation::accurate, false}}) {
    check.relation = relation;
    EXPECT_EQ(must_detect(check, Control::one_ulp), detects);
    EXPECT_TRUE(must_detect(check, Control::zeros));
  }
  check.relation = compare::Relation::distinct;
  EXPECT_FALSE(must_detect(check, Control::zeros));
}

TEST(ControlsTest, IdenticalRejectsAll) {
  compare::Check check;
  check.relation = compare::Relation::identical;
  const TensorSides sides{DType::float32, "a", "b", &right, &right};
  for (size_t i = 0; i < EnumNames<Control>::names.size(); ++i)
    EXPECT_EQ(passes_control(check, sides, static_cast<Control>(i), sources_of_test()), std::optional(false));
}

}  // namespace
}  // namespace parity::operators
