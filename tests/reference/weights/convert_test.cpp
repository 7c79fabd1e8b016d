// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/weights/convert.hpp"

#include <gtest/gtest.h>

#include "reference/model/decoder/rope.hpp"

namespace parity::reference {
namespace {

using Tensors = std::vector<torch::Tensor>;

NameRule rule(size_t own, size_t saved, Conversion conversion, RowOrder rows = RowOrder::same) {
  return {std::vector<std::string>(own), std::vector<std::string>(saved), conversion, rows};
}

/// 4 query heads on 2 key heads, 2 rows a head.
ModelDimensions grouped() {
  ModelDimensions dimensions;
  dimensions.n_heads = 4;
  dimensions.n_kv_heads = 2;
  dimensions.head_width = 2;
  return dimensions;
}

void expect_back(const NameRule& rule, const Tensors& own, const ModelDimensions& dimensions = grouped()) {
  const Tensors back = to_own(rule, to_saved(rule, own, dimensions), dimensions);
  ASSERT_EQ(back.size(), own.size());
  for (size_t i = 0; i < own.size(); ++i)
    EXPECT_TRUE(torch::equal(back[i], own[i])) << i;
}

TEST(ConvertTest, FusedRows_AreQueriesKeyAndValuePerKeyHead) {
  // Rows are named after their head: queries 0 to 7, keys 10 to 13, values 20 to 23.
  const auto rows = [](int64_t first, int64_t count) {
    return torch::arange(first, first + count).unsqueeze(1);
  };
  const Tensors own = {rows(0, 8), rows(10, 4), rows(20, 4)};
  const NameRule fused = rule(3, 1, Conversion::qkv);
  EXPECT_TRUE(torch::equal(to_saved(fused, own, grouped())[0].flatten(),
                           torch::tensor({0, 1, 2, 3, 10, 11, 20, 21, 4, 5, 6, 7, 12, 13, 22, 23})));
  expect_back(fused, own);
}

TEST(ConvertTest, FusedRowsOfAnotherOrderTurnQueriesAndKeysOnly) {
  ModelDimensions dimensions = grouped();
  dimensions.head_width = 4;
  const Tensors own = {torch::arange(16).unsqueeze(1), torch::arange(20, 28).unsqueeze(1),
                       torch::arange(40, 48).unsqueeze(1)};
  const NameRule fused = rule(3, 1, Conversion::qkv, RowOrder::saved_pairs);
  const torch::Tensor saved = to_saved(fused, own, dimensions)[0].flatten();
  EXPECT_TRUE(torch::equal(saved.narrow(0, 0, 4), torch::tensor({0, 2, 1, 3})));
  EXPECT_TRUE(torch::equal(saved.narrow(0, 8, 8), torch::tensor({20, 22, 21, 23, 40, 41, 42, 43})));
  expect_back(fused, own, dimensions);
}

TEST(ConvertTest, OneMatrixOfTheModelIsThreeInTheFileOrOne) {
  ModelDimensions dimensions = grouped();
  dimensions.head_width = 4;
  const Tensors apart = {torch::arange(16).unsqueeze(1), torch::arange(20, 28).unsqueeze(1),
                         torch::arange(40, 48).unsqueeze(1)};
  const Tensors own = to_saved(rule(3, 1, Conversion::qkv), apart, dimensions);
  const Tensors three = to_saved(rule(1, 3, Conversion::qkv), own, dimensions);
  for (size_t i = 0; i < 3; ++i)
    EXPECT_TRUE(torch::equal(three.at(i), apart[i]));
  const NameRule turned = rule(1, 3, Conversion::qkv, RowOrder::saved_halves);
  EXPECT_TRUE(torch::equal(to_saved(turned, own, dimensions)[1], permuted_for_rotate_half(apart[1], 4)));
  EXPECT_TRUE(torch::equal(to_saved(turned, own, dimensions)[2], apart[2]));
  expect_back(turned, own, dimensions);
  expect_back(rule(1, 1, Conversion::qkv, RowOrder::saved_pairs), own, dimensions);
}

TEST(ConvertTest, RowsTurnTowardsTheFileAndBack) {
  ModelDimensions dimensions = grouped();
  dimensions.head_width = 6;
  const torch::Tensor rows = torch::arange(12 * 3).view({12, 3});
  const NameRule halves = rule(1, 1, Conversion::as_is, RowOrder::saved_halves);
  EXPECT_TRUE(torch::equal(to_saved(halves, {rows}, dimensions)[0], permuted_for_rotate_half(rows, 6)));
  EXPECT_FALSE(torch::equal(permuted_for_rotate_half(rows, 6), rows));
  expect_back(halves, {rows}, dimensions);
  const NameRule pairs = rule(1, 1, Conversion::as_is, RowOrder::saved_pairs);
  EXPECT_TRUE(torch::equal(to_saved(pairs, {rows}, dimensions)[0], permuted_for_complex(rows, 6)));
  expect_back(pairs, {rows}, dimensions);
}

TEST(ConvertTest, ExpertsLieApartOrWithGateAndUpSideBySide) {
  const torch::Tensor w1 = torch::arange(24).view({2, 3, 4}), w3 = w1 + 100;
  const Tensors apart = to_saved(rule(1, 2, Conversion::unstacked), {w1}, grouped());
  EXPECT_TRUE(torch::equal(apart.at(1), w1[1]));
  expect_back(rule(1, 2, Conversion::unstacked), {w1});
  const torch::Tensor both = to_saved(rule(2, 1, Conversion::gate_up), {w1, w3}, grouped())[0];
  EXPECT_EQ(both.sizes(), (torch::IntArrayRef{2, 4, 6}));
  EXPECT_EQ(both[1][2][0].item<int64_t>(), w1[1][0][2].item<int64_t>());
  EXPECT_EQ(both[1][2][5].item<int64_t>(), w3[1][2][2].item<int64_t>());
  expect_back(rule(2, 1, Conversion::gate_up), {w1, w3});
  const torch::Tensor down = to_saved(rule(1, 1, Conversion::transposed), {w1}, grouped())[0];
  EXPECT_EQ(down[1][3][2].item<int64_t>(), w1[1][2][3].item<int64_t>());
  expect_back(rule(1, 1, Conversion::transposed), {w1});
}

}  // namespace
}  // namespace parity::reference
