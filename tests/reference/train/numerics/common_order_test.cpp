// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/numerics/common_order.hpp"

#include <gmock/gmock.h>

#include <torch/torch.h>

namespace parity::reference {
namespace {

using testing::ElementsAre;

/// Four query heads on two key heads, each of four rows; ten columns.
class CommonOrderTest : public testing::Test {
 protected:
  static ModelDimensions dimensions(bool fused, bool permuted) {
    ModelDimensions d;
    d.dim = 16;
    d.n_heads = 4;
    d.n_kv_heads = 2;
    d.fused_qkv = fused;
    d.rope_weights = permuted ? RopeWeights::permuted : RopeWeights::own;
    return d;
  }
  /// Numbers that no two elements of any weight share.
  static torch::Tensor drawn(const std::string& name, at::IntArrayRef shape) {
    const auto first = static_cast<int64_t>(std::hash<std::string>()(name) & 0xFFFFFFFF) << 16;
    return (torch::arange(c10::multiply_integers(shape), torch::kInt64) + first).view(shape);
  }
  static void expect_inverse(const std::string& name, const std::vector<int64_t>& shape,
                             const ModelDimensions& d) {
    const NamedTensors common = in_common_order(name, in_own_order(name, shape, d, drawn), d);
    for (const auto& [part, value] : common)
      EXPECT_TRUE(value.equal(drawn(part, value.sizes()))) << part;
  }
  static constexpr const char* fused = "exp_avg/layers.0.attention.wqkv.weight";
  static constexpr const char* query = "layers.0.attention.wq.weight";
};

TEST_F(CommonOrderTest, FusedWeight_BecomesThree) {
  std::vector<std::string> names;
  for (const auto& [name, value] : in_common_order(fused, torch::zeros({32, 10}), dimensions(true, false)))
    names.push_back(name);
  EXPECT_THAT(names,
              ElementsAre("exp_avg/layers.0.attention.wq.weight", "exp_avg/layers.0.attention.wk.weight",
                          "exp_avg/layers.0.attention.wv.weight"));
}

TEST_F(CommonOrderTest, OwnOrder_IsTheInverse) {
  expect_inverse(fused, {32, 10}, dimensions(true, false));
  expect_inverse(fused, {32, 10}, dimensions(true, true));
  expect_inverse(query, {16, 10}, dimensions(false, true));
}

TEST_F(CommonOrderTest, PermutedRows_AreNotThoseOfTheModel) {
  const std::vector<int64_t> shape = {16, 10};
  EXPECT_FALSE(in_own_order(query, shape, dimensions(false, true), drawn).equal(drawn(query, shape)));
  EXPECT_TRUE(in_own_order(query, shape, dimensions(false, false), drawn).equal(drawn(query, shape)));
}

TEST_F(CommonOrderTest, OtherWeights_StayAsTheyAre) {
  for (const char* name : {"layers.0.attention.wv.weight", "layers.0.attention.wo.weight", "output.weight"})
    EXPECT_FALSE(has_own_order(name, dimensions(true, true))) << name;
  EXPECT_FALSE(has_own_order(query, dimensions(false, false)));
  EXPECT_TRUE(has_own_order(query, dimensions(false, true)));
  EXPECT_TRUE(has_own_order(fused, dimensions(true, false)));
}

}  // namespace
}  // namespace parity::reference
