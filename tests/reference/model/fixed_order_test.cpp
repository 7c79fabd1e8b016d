// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/model/fixed_order.hpp"

#include <array>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <ATen/Dispatch.h>
#include <ATen/OpMathType.h>
#include <ATen/ops/rms_norm.h>

#include "harness/measure/lanes/simd.hpp"

namespace parity::reference {
namespace {

/// The sum as fixed_order.hpp defines it, term by term.
template <class T>
at::opmath_type<T> sum_of_products(const T* x, const T* weight, int64_t width) {
  using A = at::opmath_type<T>;
  std::array<A, 32 / sizeof(A)> lanes{};
  for (int64_t c = 0; c < width; ++c)
    lanes[static_cast<size_t>(c) % lanes.size()] += static_cast<A>(x[c]) * static_cast<A>(weight[c]);
  for (size_t half = lanes.size() / 2; half > 0; half /= 2)
    for (size_t l = 0; l < half; ++l)
      lanes[l] += lanes[l + half];
  return lanes[0];
}

template <class T>
at::opmath_type<T> sum_in_another_order(const T* x, const T* weight, int64_t width) {
  at::opmath_type<T> sum = 0;
  for (int64_t c = 0; c < width; ++c)
    sum += static_cast<at::opmath_type<T>>(x[c]) * static_cast<at::opmath_type<T>>(weight[c]);
  return sum;
}

/// Returns the product of every row with every row of the weight, by `sum`.
template <class Sum>
torch::Tensor product_by(const Sum& sum, const torch::Tensor& x, const torch::Tensor& weight) {
  torch::Tensor y = torch::empty({x.size(0), weight.size(0)}, x.options());
  AT_DISPATCH_FLOATING_TYPES_AND(at::kBFloat16, x.scalar_type(), "product_by", [&] {
    const int64_t width = x.size(1);
    for (int64_t t = 0; t < x.size(0); ++t)
      for (int64_t r = 0; r < weight.size(0); ++r)
        y.data_ptr<scalar_t>()[t * weight.size(0) + r] = static_cast<scalar_t>(
            sum(x.data_ptr<scalar_t>() + t * width, weight.data_ptr<scalar_t>() + r * width, width));
  });
  return y;
}

torch::Tensor defined_product(const torch::Tensor& x, const torch::Tensor& weight) {
  return product_by([](const auto* a, const auto* b, int64_t width) { return sum_of_products(a, b, width); },
                    x, weight);
}

/// Random numbers that begin `offset` elements after an aligned place.
torch::Tensor random_at(int64_t offset, at::IntArrayRef shape, torch::ScalarType dtype) {
  const int64_t count = c10::multiply_integers(shape);
  return torch::randn({offset + count}, torch::kFloat64).to(dtype).narrow(0, offset, count).view(shape);
}

/// Calls `check` under each level of vector instructions that this machine has.
template <class Check>
void at_every_level(const Check& check) {
  const measure::simd::Level detected = measure::simd::level();
  for (int level = 0; level <= static_cast<int>(detected); ++level) {
    measure::simd::level() = static_cast<measure::simd::Level>(level);
    SCOPED_TRACE("level " + std::to_string(level));
    check();
  }
  measure::simd::level() = detected;
}

class FixedOrderTest : public testing::TestWithParam<torch::ScalarType> {
 protected:
  void SetUp() override { torch::manual_seed(4); }

  /// Expects each element of a product to be the defined one, at every level and place in memory.
  void expect_defined(int64_t tokens, int64_t rows, int64_t width) {
    for (const int64_t offset : {0, 1}) {
      const torch::Tensor x = random_at(offset, {tokens, width}, GetParam());
      const torch::Tensor weight = random_at(offset, {rows, width}, GetParam());
      const torch::Tensor expected = defined_product(x, weight);
      at_every_level([&] {
        EXPECT_TRUE(fixed_order::linear(x, weight).equal(expected))
            << tokens << " tokens, " << rows << " rows, width " << width << ", offset " << offset;
      });
    }
  }
};
INSTANTIATE_TEST_SUITE_P(, FixedOrderTest,
                         testing::Values(torch::kFloat32, torch::kFloat64, torch::kBFloat16),
                         [](const auto& instance) { return c10::toString(instance.param); });

TEST_P(FixedOrderTest, Linear_AnyWidth_SumsAsDefined) {
  for (int64_t width = 1; width <= 40; ++width)
    expect_defined(5, 4, width);
  for (const int64_t width : {63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 513, 1000})
    expect_defined(5, 4, width);
}

TEST_P(FixedOrderTest, Linear_AnyNumberOfTokens_SumsAsDefined) {
  for (int64_t tokens = 1; tokens <= 20; ++tokens)
    expect_defined(tokens, 2, 21);
  for (const int64_t tokens : {31, 32, 33, 63, 64, 65, 66, 67, 68, 127, 128, 129, 193})
    expect_defined(tokens, 2, 21);
}

TEST_P(FixedOrderTest, Linear_AnyNumberOfRows_SumsAsDefined) {
  for (int64_t rows = 1; rows <= 20; ++rows)
    expect_defined(6, rows, 21);
}

TEST_P(FixedOrderTest, Linear_Strides_DoNotMatter) {
  const torch::Tensor x = random_at(0, {21, 6}, GetParam()).t(),
                      weight = random_at(0, {21, 5}, GetParam()).t();
  EXPECT_TRUE(fixed_order::linear(x, weight).equal(defined_product(x.contiguous(), weight.contiguous())));
  const torch::Tensor batch = random_at(0, {2, 3, 21}, GetParam());
  EXPECT_TRUE(fixed_order::linear(batch, weight)
                  .view({6, 5})
                  .equal(fixed_order::linear(batch.view({6, 21}), weight)));
}

TEST_P(FixedOrderTest, Linear_WithoutElements_IsZeroOrEmpty) {
  const auto options = torch::TensorOptions(GetParam());
  EXPECT_EQ(fixed_order::linear(torch::ones({0, 7}, options), torch::ones({3, 7}, options)).numel(), 0);
  EXPECT_EQ(fixed_order::linear(torch::ones({3, 7}, options), torch::ones({0, 7}, options)).numel(), 0);
  EXPECT_TRUE(fixed_order::linear(torch::ones({3, 0}, options), torch::ones({2, 0}, options))
                  .equal(torch::zeros({3, 2}, options)));
}

TEST_P(FixedOrderTest, Linear_ComparedToFloat64_IsWithinItsBound) {
  for (const int64_t width : {1, 8, 21, 257, 1000}) {
    const torch::Tensor x = random_at(0, {40, width}, GetParam()), w = random_at(0, {33, width}, GetParam());
    const torch::Tensor wide_x = x.to(torch::kFloat64), wide_w = w.to(torch::kFloat64);
    const torch::Tensor exact = at::linear(wide_x, wide_w);
    const double sum_step = GetParam() == torch::kFloat64 ? std::numeric_limits<double>::epsilon()
                                                          : std::numeric_limits<float>::epsilon();
    const double last_step = GetParam() == torch::kBFloat16 ? 1.0 / 256 : 0;
    const torch::Tensor bound =
        static_cast<double>(width) * sum_step * at::linear(wide_x.abs(), wide_w.abs()) +
        last_step * exact.abs();  // of the product in float64 too, half each
    EXPECT_TRUE(fixed_order::linear(x, w).to(torch::kFloat64).sub(exact).abs().le(bound).all().item<bool>())
        << width;
  }
}

TEST_P(FixedOrderTest, Linear_SummedInAnotherOrder_Differs) {
  const torch::Tensor x = random_at(0, {100, 257}, GetParam()), weight = random_at(0, {100, 257}, GetParam());
  const torch::Tensor other = product_by(
      [](const auto* a, const auto* b, int64_t width) { return sum_in_another_order(a, b, width); }, x,
      weight);
  EXPECT_FALSE(fixed_order::linear(x, weight).equal(other));
}

TEST(TreeSumTest, AddsNeighboursFirst) {
  // One after the other they are 1, since 1e8 + 1 rounds to 1e8.
  const std::vector<float> terms = {1e8F, 1, -1e8F, 1};
  std::vector<torch::Tensor> tensors;
  for (const float term : terms)
    tensors.push_back(torch::full({1}, term));
  EXPECT_EQ(fixed_order::tree_sum(tensors).item<float>(), 0);
  EXPECT_EQ(fixed_order::tree_sum({tensors[1]}).item<float>(), 1);
}

TEST_P(FixedOrderTest, LinearInPieces_TwoPieces_IsTheSumOfTwoProducts) {
  const torch::Tensor x = random_at(1, {6, 42}, GetParam()), weight = random_at(0, {5, 42}, GetParam());
  const auto half = [&](int64_t first) {
    return fixed_order::linear(x.narrow(1, first, 21), weight.narrow(1, first, 21));
  };
  EXPECT_TRUE(fixed_order::linear_in_pieces(x, weight, 2).equal(half(0) + half(21)));
  EXPECT_TRUE(fixed_order::linear_in_pieces(x, weight, 1).equal(fixed_order::linear(x, weight)));
  EXPECT_FALSE(fixed_order::linear_in_pieces(x, weight, 2).equal(fixed_order::linear(x, weight)));
}

TEST_P(FixedOrderTest, LinearInPieces_SharedByRanks_IsTheSameTree) {
  const torch::Tensor x = random_at(0, {6, 88}, GetParam()), weight = random_at(1, {5, 88}, GetParam());
  const torch::Tensor alone = fixed_order::linear_in_pieces(x, weight, 8);
  for (const int64_t ranks : {2, 4, 8}) {
    std::vector<torch::Tensor> terms;
    for (int64_t rank = 0; rank < ranks; ++rank)
      terms.push_back(fixed_order::linear_in_pieces(x.chunk(ranks, 1)[static_cast<size_t>(rank)],
                                                    weight.chunk(ranks, 1)[static_cast<size_t>(rank)],
                                                    8 / ranks));
    EXPECT_TRUE(fixed_order::tree_sum(terms).equal(alone)) << ranks;
  }
}

TEST_P(FixedOrderTest, RmsNorm_AnyRow_IsAsDefined) {
  constexpr double eps = 1e-5;
  for (const int64_t width : {1, 3, 7, 8, 9, 16, 21, 64, 257})
    for (const int64_t offset : {0, 1}) {
      const torch::Tensor x = random_at(offset, {9, width}, GetParam());
      const torch::Tensor weight = random_at(offset, {width}, GetParam());
      torch::Tensor expected = torch::empty_like(x);
      AT_DISPATCH_FLOATING_TYPES_AND(at::kBFloat16, GetParam(), "norm", [&] {
        using A = at::opmath_type<scalar_t>;
        for (int64_t t = 0; t < 9; ++t) {
          const scalar_t* row = x.data_ptr<scalar_t>() + t * width;
          const A mean = sum_of_products(row, row, width) / static_cast<A>(width);
          const A scale = 1 / std::sqrt(mean + static_cast<A>(eps));
          for (int64_t c = 0; c < width; ++c)
            expected.data_ptr<scalar_t>()[t * width + c] = static_cast<scalar_t>(
                static_cast<A>(row[c]) * scale * static_cast<A>(weight.data_ptr<scalar_t>()[c]));
        }
      });
      at_every_level([&] { EXPECT_TRUE(fixed_order::rms_norm(x, weight, eps).equal(expected)) << width; });
      EXPECT_TRUE(torch::allclose(expected, at::rms_norm(x, {width}, weight, eps),
                                  GetParam() == torch::kBFloat16 ? 2e-2 : 1e-5));
    }
}

TEST_P(FixedOrderTest, Silu_AnyPlace_RoundsAlike) {
  const torch::Tensor x = random_at(1, {1000}, GetParam()) * 3, y = fixed_order::silu(x);
  EXPECT_TRUE(torch::allclose(y, at::silu(x), GetParam() == torch::kBFloat16 ? 1e-2 : 1e-6));
  for (int64_t i = 0; i < 1000; ++i)
    ASSERT_TRUE(fixed_order::silu(x.narrow(0, i, 1)).equal(y.narrow(0, i, 1))) << i;
}

TEST(FixedOrderComplexTest, Product_AnyPlace_RoundsAlike) {
  torch::manual_seed(4);
  for (const torch::ScalarType dtype : {torch::kComplexFloat, torch::kComplexDouble}) {
    const torch::Tensor a = torch::randn({70, 2, 5}, dtype), b = torch::randn({70, 1, 5}, dtype);
    const torch::Tensor real = at::real(a) * at::real(b) - at::imag(a) * at::imag(b);
    const torch::Tensor imag = at::real(a) * at::imag(b) + at::imag(a) * at::real(b);
    const torch::Tensor y = fixed_order::complex_product(a, b);
    EXPECT_TRUE(at::real(y).equal(real) && at::imag(y).equal(imag));
    EXPECT_TRUE(torch::allclose(y, a * b, 1e-5, 1e-5));
    for (int64_t row = 0; row < 70; ++row)
      ASSERT_TRUE(
          fixed_order::complex_product(a.narrow(0, row, 1), b.narrow(0, row, 1)).equal(y.narrow(0, row, 1)))
          << row;
  }
}

}  // namespace
}  // namespace parity::reference
