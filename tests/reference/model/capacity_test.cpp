// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/model/decoder/capacity.hpp"

#include <gmock/gmock.h>

namespace parity::reference {
namespace {

using testing::ElementsAre;

std::vector<int64_t> list_of(const torch::Tensor& x) {
  const torch::Tensor here = x.contiguous();
  return {here.const_data_ptr<int64_t>(), here.const_data_ptr<int64_t>() + here.numel()};
}

/// Four tokens with one of two experts each: 0, 0, 1, 0, with rising scores.
Slots slots(double factor, DropRule drop = DropRule::position) {
  const MoeDimensions dimensions{.experts = 2, .top_k = 1, .capacity_factor = factor, .drop = drop};
  const Routing routing = {torch::tensor({{0}, {0}, {1}, {0}}, torch::kInt64),
                           torch::tensor({{0.1}, {0.2}, {0.3}, {0.4}}, torch::kFloat64)};
  return slots_of(routing, torch::tensor({3, 1}, torch::kInt64), dimensions);
}

TEST(CapacityTest, Mean_IsRoundedUp) {
  MoeDimensions dimensions{.experts = 8, .top_k = 2, .capacity_factor = 1.25};
  EXPECT_EQ(capacity_of(100, dimensions), 32);  // 1.25 x 25 = 31.25
  dimensions.capacity_factor = 1000;
  EXPECT_EQ(capacity_of(100, dimensions), 100);  // no expert gets more than all tokens
}

TEST(CapacityTest, WithoutCapacity_AllSlotsAreTaken) {
  for (const double factor : {0.0, 2.0}) {
    const Slots all = slots(factor);
    EXPECT_THAT(list_of(all.order_N), ElementsAre(0, 1, 3, 2));
    EXPECT_THAT(list_of(all.tokens_E), ElementsAre(3, 1));
    EXPECT_EQ(all.dropped, 0);
  }
}

TEST(CapacityTest, ByPosition_LastTokensAreDropped) {
  const Slots first = slots(1);  // two tokens an expert
  EXPECT_THAT(list_of(first.order_N), ElementsAre(0, 1, 2));
  EXPECT_THAT(list_of(first.tokens_E), ElementsAre(2, 1));
  EXPECT_EQ(first.dropped, 1);
}

TEST(CapacityTest, ByScore_LowestScoresAreDropped) {
  const Slots best = slots(1, DropRule::score);
  EXPECT_THAT(list_of(best.order_N), ElementsAre(1, 3, 2));
  EXPECT_EQ(best.dropped, 1);
}

}  // namespace
}  // namespace parity::reference
