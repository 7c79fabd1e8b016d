// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/model/quantised.hpp"

#include <array>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "reference/model/recipe_linear.hpp"

namespace parity::reference {
namespace {

constexpr std::array<ScaleRule, 8> rules = {
    ScaleRule::float32, ScaleRule::power_of_two, ScaleRule::division, ScaleRule::division_up,
    ScaleRule::mx,      ScaleRule::mx_up,        ScaleRule::nvfp4,    ScaleRule::unit};

torch::Tensor row_of_numbers(std::initializer_list<float> values) {
  return torch::tensor(std::vector<float>(values)).unsqueeze(0);
}

TEST(RoundedToTest, E2m1TakesTheNearestOfSixteenValuesTiesToEven) {
  const torch::Tensor x =
      row_of_numbers({0.25F, 0.26F, 0.75F, 1.25F, 1.75F, 2.5F, 3.5F, 5.0F, 5.1F, 100.0F, -1.6F});
  const torch::Tensor expected =
      row_of_numbers({0.0F, 0.5F, 1.0F, 1.0F, 2.0F, 2.0F, 4.0F, 4.0F, 6.0F, 6.0F, -1.5F});
  EXPECT_TRUE(torch::equal(rounded_to(x, NarrowFormat::e2m1), expected)) << rounded_to(x, NarrowFormat::e2m1);
}

TEST(RoundedToTest, WhatIsNotFiniteBecomesNaN) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  for (const NarrowFormat format : {NarrowFormat::e4m3, NarrowFormat::e5m2, NarrowFormat::e2m1}) {
    const torch::Tensor y = rounded_to(row_of_numbers({inf, -inf, NAN, 1e30F}), format);
    EXPECT_TRUE(y.isnan().slice(1, 0, 3).all().item<bool>()) << y;
    EXPECT_EQ(y[0][3].item<double>(), largest(format));
  }
}

TEST(QuantisedTest, MxMayCutTheLargestAndRoundUpKeepsIt) {
  const torch::Tensor x = row_of_numbers({500.0F, 1.0F});  // 2^8 <= 500 < 2^9, so the scale is 1
  EXPECT_EQ(quantised(x, {NarrowFormat::e4m3, ScaleRule::mx, 1, 32})[0][0].item<float>(), 448.0F);
  EXPECT_EQ(quantised(x, {NarrowFormat::e4m3, ScaleRule::mx_up, 1, 32})[0][0].item<float>(), 512.0F);
}

TEST(QuantisedTest, AScaleReachesOverItsBlockOnly) {
  const torch::Tensor x = at::cat({torch::full({1, 32}, 1e-6F), torch::full({1, 8}, 1000.0F)}, 1);
  const torch::Tensor mx = quantised(x, {NarrowFormat::e4m3, ScaleRule::mx, 1, 32});
  const torch::Tensor whole = quantised(x, {NarrowFormat::e4m3, ScaleRule::float32, 0, 0});
  EXPECT_NEAR(mx[0][0].item<double>(), 1e-6, 1e-7);
  EXPECT_EQ(whole[0][0].item<double>(), 0) << "underflows beside 1000";
  EXPECT_EQ(mx.sizes(), x.sizes());
}

TEST(QuantisedTest, BlocksOfNumbersThatAreNotFiniteShowIt) {
  for (const ScaleRule rule : rules)
    for (const float bad : {NAN, std::numeric_limits<float>::infinity()}) {
      torch::Tensor x = torch::ones({2, 40});
      x[1][35] = bad;
      const NarrowFormat format = rule == ScaleRule::nvfp4 ? NarrowFormat::e2m1 : NarrowFormat::e4m3;
      EXPECT_FALSE(quantised(x, {format, rule, 1, 16})[1][35].isfinite().item<bool>())
          << static_cast<int>(rule);
    }
}

TEST(QuantisedTest, ZerosStayZeros) {
  for (const ScaleRule rule : rules) {
    const NarrowFormat format = rule == ScaleRule::nvfp4 ? NarrowFormat::e2m1 : NarrowFormat::e4m3;
    EXPECT_TRUE(torch::equal(quantised(torch::zeros({3, 20}), {format, rule, 1, 16}), torch::zeros({3, 20})))
        << static_cast<int>(rule);
  }
}

TEST(QuantisedTest, Twin_ReturnsWhatItIsGiven) {
  torch::manual_seed(3);
  for (const torch::ScalarType dtype : {torch::kFloat64, torch::kFloat32}) {
    const double range = dtype == torch::kFloat64 ? 20 : 3;  // float32 would underflow
    torch::Tensor x = torch::randn({40, 100}, dtype) * torch::randn({40, 1}, dtype).mul_(range).exp();
    x.slice(1, 16, 64).zero_();
    for (const ScaleRule rule : rules)
      for (const int64_t rows : {0, 1, 32}) {
        const Quantisation how = {NarrowFormat::e4m3, rule, rows, 16, /*rounds=*/false};
        EXPECT_TRUE(torch::equal(quantised(x, how), x)) << static_cast<int>(rule) << " " << dtype;
      }
  }
  torch::Tensor bad = torch::ones({1, 16}, torch::kFloat64);
  bad[0][3] = NAN;
  for (const ScaleRule rule : rules)
    EXPECT_FALSE(
        quantised(bad, {NarrowFormat::e4m3, rule, 1, 16, /*rounds=*/false}).isfinite().all().item<bool>())
        << static_cast<int>(rule);
}

TEST(QuantisedTest, ErrorsAreWithinHalfAStepOfTheFormat) {
  torch::manual_seed(1);
  const torch::Tensor x = torch::randn({64, 100}) * torch::randn({64, 1}).exp();
  for (const auto& [recipe, allowed] : {std::pair(LinearRecipe::float8_tensor, 0x1p-4),
                                        {LinearRecipe::float8_row, 0x1p-4},
                                        {LinearRecipe::float8_block, 0x1p-4},
                                        {LinearRecipe::mxfp8, 0x1p-3},
                                        {LinearRecipe::nvfp4, 0x1p-2}}) {
    const torch::Tensor y = quantised(x, quantisation_of({.recipe = recipe}, LinearOperand::input));
    const double error = ((y - x).norm() / x.norm()).item<double>();
    EXPECT_LT(error, allowed) << static_cast<int>(recipe);
    EXPECT_GT(error, allowed / 64) << static_cast<int>(recipe);
  }
}

TEST(RecipeLinearTest, GradientsAreThoseOfTheProductUpToQuantisation) {
  torch::manual_seed(2);
  const torch::Tensor x = torch::randn({3, 20, 48}).requires_grad_();
  const torch::Tensor weight = torch::randn({40, 48}).requires_grad_();
  const torch::Tensor bias = torch::randn({40}).requires_grad_(), dy = torch::randn({3, 20, 40});
  const auto exact = torch::autograd::grad({at::linear(x, weight, bias)}, {x, weight, bias}, {dy});
  for (const LinearRecipe recipe : {LinearRecipe::float8_tensor, LinearRecipe::float8_row,
                                    LinearRecipe::float8_block, LinearRecipe::mxfp8, LinearRecipe::nvfp4}) {
    const auto rounded =
        torch::autograd::grad({recipe_linear(x, weight, bias, {.recipe = recipe})}, {x, weight, bias}, {dy});
    for (size_t i = 0; i < 2; ++i) {
      const double error = ((rounded[i] - exact[i]).norm() / exact[i].norm()).item<double>();
      EXPECT_LT(error, recipe == LinearRecipe::nvfp4 ? 0.3 : 0.1) << i;
      EXPECT_GT(error, 1e-3) << i;
    }
    EXPECT_TRUE(torch::equal(rounded[2], exact[2])) << "no product";
  }
}

TEST(RecipeLinearTest, Twin_HasTheGradientsOfTheProduct) {
  torch::manual_seed(2);
  const auto options = torch::dtype(torch::kFloat64);
  const torch::Tensor x = torch::randn({3, 20, 48}, options).requires_grad_();
  const torch::Tensor weight = torch::randn({48, 48}, options).requires_grad_();  // transposes fit, too
  const torch::Tensor dy = torch::randn({3, 20, 48}, options);
  const torch::Tensor y = at::linear(x, weight);
  const auto exact = torch::autograd::grad({y}, {x, weight}, {dy});
  for (const LinearRecipe recipe : {LinearRecipe::float8_tensor, LinearRecipe::float8_row,
                                    LinearRecipe::float8_block, LinearRecipe::mxfp8, LinearRecipe::nvfp4}) {
    const torch::Tensor own = recipe_linear(x, weight, {}, {.recipe = recipe}, /*rounds=*/false);
    EXPECT_LT((own - y).norm().item<double>(), 1e-13 * y.norm().item<double>());
    const auto gradients = torch::autograd::grad({own}, {x, weight}, {dy});
    for (size_t i = 0; i < 2; ++i)
      EXPECT_LT((gradients[i] - exact[i]).norm().item<double>(), 1e-13 * exact[i].norm().item<double>()) << i;
  }
}

}  // namespace
}  // namespace parity::reference
