// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/reveal/predict.hpp"

#include <gtest/gtest.h>

#include "harness/reveal/find_tree.hpp"
#include "tests/harness/reveal/summing.hpp"

namespace parity::reveal {
namespace {

template <class Sum>
Prediction predicted(size_t terms, bool multiplies, const Sum& sum) {
  const SummingOperator op = float32_operator(terms, multiplies, sum);
  const FoundTree found = find_tree(op);
  return predict(op, found.tree, find_arithmetic(op, found.tree), found.scale);
}

TEST(PredictTest, EachResultIsForetold) {
  EXPECT_EQ(predicted(100, false, [](auto x, auto) { return loop_sum(x); }).right, 200U);
  EXPECT_EQ(predicted(61, false, [](auto x, auto) { return lane_sum(x); }).right, 200U);
  EXPECT_EQ(predicted(64, true, fused_dot).right, 200U);
  EXPECT_EQ(predicted(64, true, rounded_dot).right, 200U);
  EXPECT_EQ(predicted(2, true, fused_dot).right, 200U);
}

TEST(PredictTest, AMeanIsForetold) {
  const Prediction divided =
      predicted(48, false, [](auto x, auto) { return loop_sum(x) / static_cast<float>(x.size()); });
  EXPECT_EQ(divided.right, 200U);
  EXPECT_TRUE(divided.divides);
  const Prediction multiplied =
      predicted(48, false, [](auto x, auto) { return loop_sum(x) * (1.0F / static_cast<float>(x.size())); });
  EXPECT_EQ(multiplied.right, 200U);
  EXPECT_FALSE(multiplied.divides);
}

TEST(PredictTest, AnotherOrderIsNotForetold) {
  const SummingOperator op = float32_operator(100, false, [](auto x, auto) { return loop_sum(x); });
  const SummationTree other = random_tree(100, 1);
  EXPECT_LT(predict(op, other, find_arithmetic(op, other), 1).right, 100U);
}

TEST(PredictTest, AnOperatorThatChangesItsOrderIsNotForetoldWhole) {
  const auto by_size = [](auto x, auto) { return x[0] > 1 && x[0] < 1e30F ? lane_sum(x) : loop_sum(x); };
  const Prediction found = predicted(100, false, by_size);
  EXPECT_LT(found.right, 180U);
  EXPECT_EQ(found.tried, 200U);
}

}  // namespace
}  // namespace parity::reveal
