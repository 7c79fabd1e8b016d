// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/model/decoder/rope.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "tests/reference/model/model_facts.hpp"

namespace parity::reference {
namespace {

ModelDimensions dimensions(bool scaled) {
  return {.dim = 64,
          .n_heads = 4,
          .max_seq_len = 8,
          .rope_scaling = scaled ? RopeScaling::llama3 : RopeScaling::none};
}

/// Angle of one position of a table.
TEST(RopeTest, FrequenciesFallGeometrically) {
  const torch::Tensor table = rope_table(dimensions(false), torch::kFloat64);
  EXPECT_EQ(table.scalar_type(), torch::kComplexDouble);
  ASSERT_EQ(table.sizes(), torch::IntArrayRef({8, 8}));
  for (int64_t j = 0; j < 8; ++j)
    EXPECT_NEAR(frequency(table, j), std::pow(5e5, -2.0 * static_cast<double>(j) / 16), 1e-15) << j;
}

TEST(RopeTest, Scaling_KeepsShortBlendsMiddleStretchesLong) {
  const torch::Tensor table = rope_table(dimensions(true), torch::kFloat64);
  int kept = 0, blended = 0, stretched = 0;
  for (int64_t j = 0; j < 8; ++j) {
    const double f = std::pow(5e5, -2.0 * static_cast<double>(j) / 16);
    const double wavelength = 2 * std::numbers::pi / f;
    double expected = f;
    if (wavelength > 8192) {
      expected = f / 8;
      ++stretched;
    } else if (wavelength >= 2048) {
      const double s = (8192 / wavelength - 1) / 3;
      expected = (1 - s) * f / 8 + s * f;
      ++blended;
    } else {
      ++kept;
    }
    EXPECT_NEAR(frequency(table, j), expected, 1e-15) << j;
  }
  EXPECT_TRUE(kept > 0 && blended > 0 && stretched > 0) << kept << blended << stretched;
}

TEST(RopeTest, TurnsNeighbouringPairsByTheirPosition) {
  const torch::Tensor table = rope_table(dimensions(false), torch::kFloat64);
  torch::Tensor x = torch::zeros({1, 4, 1, 16}, torch::kFloat64);
  x.select(3, 0).fill_(1);  // pair 0 is (1, 0), whose frequency is 1
  const torch::Tensor y = apply_rope(x, rope_turns(table, 4, {}));
  for (int64_t t = 0; t < 4; ++t) {
    EXPECT_NEAR(y[0][t][0][0].item<double>(), std::cos(static_cast<double>(t)), 1e-15);
    EXPECT_NEAR(y[0][t][0][1].item<double>(), std::sin(static_cast<double>(t)), 1e-15);
  }
  EXPECT_EQ(y.scalar_type(), torch::kFloat64);
}

TEST(RopeTest, RotateHalfTurnsElementsHalfAHeadApart) {
  ModelDimensions d = dimensions(false);
  d.rope = Rope::rotate_half;
  const torch::Tensor table = rope_table(d, torch::kFloat64);
  EXPECT_EQ(table.sizes(), torch::IntArrayRef({8, 32}));
  torch::Tensor x = torch::zeros({1, 4, 1, 16}, torch::kFloat64);
  x.select(3, 0).fill_(1);  // elements 0 and 8 are (1, 0)
  const torch::Tensor y = apply_rope(x, rope_turns(table, 4, {}));
  for (int64_t t = 0; t < 4; ++t) {
    EXPECT_NEAR(y[0][t][0][0].item<double>(), std::cos(static_cast<double>(t)), 1e-15);
    EXPECT_NEAR(y[0][t][0][8].item<double>(), std::sin(static_cast<double>(t)), 1e-15);
    EXPECT_EQ(y[0][t][0][1].item<double>(), 0);
  }
}

TEST(RopeTest, PermutedRows_AreEvenThenOddOnesOfEachHead) {
  EXPECT_TRUE(
      torch::equal(permuted_for_rotate_half(torch::arange(8), 4), torch::tensor({0, 2, 1, 3, 4, 6, 5, 7})));
  EXPECT_TRUE(torch::equal(permuted_for_complex(torch::arange(12), 6),
                           torch::tensor({0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11})));
  const torch::Tensor rows = torch::arange(36).view({12, 3});
  EXPECT_TRUE(torch::equal(permuted_for_complex(permuted_for_rotate_half(rows, 6), 6), rows));
  // The elements that the two forms rotate, one by one.
  ModelDimensions pairs = dimensions(false), halves = pairs;
  halves.rope = Rope::rotate_half;
  torch::manual_seed(1);
  const torch::Tensor x = torch::randn({16}, torch::kFloat64);
  const auto turned = [](const ModelDimensions& d, const torch::Tensor& head) {
    return apply_rope(head.view({1, 1, 1, 16}).repeat({1, 8, 1, 1}),
                      rope_turns(rope_table(d, torch::kFloat64), 8, {}));
  };
  const torch::Tensor one = turned(pairs, x)[0][7][0],
                      other = turned(halves, permuted_for_rotate_half(x, 16))[0][7][0];
  EXPECT_TRUE(torch::allclose(permuted_for_rotate_half(one, 16), other, 1e-14, 1e-15));
}

TEST(RopeTest, TableOfFloat32IsComputedInFloat32) {
  const torch::Tensor narrow = rope_table(dimensions(true), torch::kFloat32);
  EXPECT_EQ(narrow.scalar_type(), torch::kComplexFloat);
  const torch::Tensor wide = rope_table(dimensions(true), torch::kFloat64);
  EXPECT_TRUE(torch::allclose(narrow.to(torch::kComplexDouble), wide, 1e-5, 1e-5));
  EXPECT_FALSE(torch::equal(narrow.to(torch::kComplexDouble), wide));
}

}  // namespace
}  // namespace parity::reference
