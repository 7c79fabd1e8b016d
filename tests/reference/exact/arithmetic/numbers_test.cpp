// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/exact/arithmetic/numbers.hpp"

#include <array>
#include <functional>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <ATen/ATen.h>

#include "harness/base/error.hpp"
#include "harness/base/hash.hpp"
#include "reference/exact/arithmetic/matrix_product.hpp"
#include "reference/exact/arithmetic/planes.hpp"

namespace parity::reference::exact {
namespace {

class NumbersTest : public testing::Test {
 protected:
  NumbersTest() { set_tower(Tower(11, 3)); }

  /// Returns independent random numbers in all levels.
  static Numbers variable(const std::string& name, at::IntArrayRef shape) {
    const at::Tensor places = at::arange(c10::multiply_integers(shape), at::kLong).view(shape);
    return uninterpreted(name, {{places}});
  }
  static bool same(const Numbers& a, const Numbers& b) {
    return a.first().lt(0).any().item<bool>() ? false : at::equal(a.first().expand_as(b.first()), b.first());
  }
};

TEST_F(NumbersTest, ProductsAreThoseOfEachRowAndColumn) {
  const Numbers a = variable("a", {2, 3, 130}), b = variable("b", {2, 130, 5});
  const Numbers c = product(a, b);
  const auto part = [](const Numbers& x, int64_t i, int64_t row, int64_t dim) {
    return moved(
        {x}, [&](const std::vector<at::Tensor>& planes, int64_t) { return planes[0][i].select(dim, row); });
  };
  for (int64_t row = 0; row < 3; ++row)
    for (int64_t column = 0; column < 5; ++column) {
      const Numbers expected = sum(mul(part(a, 1, row, 0), part(b, 1, column, 1)), {}, false);
      for (size_t level = 0; level < 3; ++level)
        EXPECT_EQ(c.levels[level][1][row][column].item<int64_t>(), expected.levels[level].item<int64_t>());
    }
}

/// Returns residues of which some are the least and the largest; with seed 0, digits that are all -2^20.
at::Tensor extreme_matrix(int64_t rows, int64_t columns, const Field& field, uint64_t seed) {
  at::Tensor result = at::empty({rows, columns}, at::kLong);
  for (int64_t i = 0; i < result.numel(); ++i) {
    const uint64_t draw = splitmix64(seed + static_cast<uint64_t>(i));
    const std::array<uint64_t, 8> picks = {
        0,         1,         field.prime() - 1,   field.prime() / 2, field.prime() / 2 + 1,
        (1 << 20), (1 << 21), draw % field.prime()};
    result.mutable_data_ptr<int64_t>()[i] = static_cast<int64_t>(
        seed == 0 ? ((uint64_t{1} << 41U) - (1 << 20)) % field.prime() : picks[draw >> 32U & 7U]);
  }
  return result;
}

TEST_F(NumbersTest, DigitsAndIntegersGiveTheSameProducts) {
  for (const uint64_t prime : {uint64_t{2305843009213693951}, tower().field(0).prime(),
                               tower().field(2).prime(), uint64_t{1000003}}) {
    const Field field(prime);
    for (const auto& [m, k, n] : std::vector<std::array<int64_t, 3>>{
             {1, 1, 1}, {3, 40, 5}, {7, 2048, 2}, {2, 2049, 3}, {300, 9, 270}, {1, 4200, 1}})
      for (uint64_t seed = 0; seed < 3; ++seed) {
        const at::Tensor a = extreme_matrix(m, k, field, seed), b = extreme_matrix(k, n, field, seed * 7);
        EXPECT_TRUE(at::equal(product_of_digits(a, b, field), product_of_integers(a, b, field)))
            << prime << ", " << m << " x " << k << " x " << n;
      }
  }
}

TEST_F(NumbersTest, ProductsOfNothingAreZero) {
  const at::Tensor none =
      products(at::empty({2, 3, 0}, at::kLong), at::empty({2, 0, 4}, at::kLong), tower().field(0));
  EXPECT_TRUE(at::equal(none, at::zeros({2, 3, 4}, at::kLong)));
  EXPECT_EQ(
      products(at::empty({0, 3, 5}, at::kLong), at::empty({0, 5, 4}, at::kLong), tower().field(0)).numel(),
      0);
}

TEST_F(NumbersTest, AnElementWithoutResidueMakesItsRowUnknown) {
  const Field field = tower().field(0);
  for (const int64_t k : {4, 64}) {
    at::Tensor a = extreme_matrix(40, k, field, 1), b = extreme_matrix(k, 40, field, 2);
    a[3][1] = unknown;
    b[2][5] = minus_infinity;
    const at::Tensor product = products(a, b, field);
    EXPECT_TRUE(product[3].eq(unknown).all().item<bool>());
    EXPECT_TRUE(product.select(1, 5).eq(unknown).all().item<bool>());
    EXPECT_EQ(product.eq(unknown).sum().item<int64_t>(), 79);
  }
}

TEST_F(NumbersTest, PowersOfPlanesAreThoseOfTheirElements) {
  const Field field = tower().field(1);
  at::Tensor x = extreme_matrix(5, 5, field, 3);
  x[4][4] = unknown;
  for (const uint64_t exponent :
       {uint64_t{0}, uint64_t{1}, uint64_t{5}, (field.prime() + 1) / 4, field.prime() - 2}) {
    const at::Tensor y = powers(x, exponent, field);
    for (int64_t i = 0; i < 24; ++i)
      EXPECT_EQ(
          y.flatten()[i].item<int64_t>(),
          static_cast<int64_t>(field.power(static_cast<uint64_t>(x.flatten()[i].item<int64_t>()), exponent)));
    EXPECT_EQ(y[4][4].item<int64_t>(), unknown);
  }
}

/// Returns how often two functions of independent numbers are equal in a small field, times its smallest
/// prime.
double accidents(const std::function<Numbers(const Numbers& x, const Numbers& y, double constant)>& function,
                 int bits) {
  int64_t equal = 0, all = 0;
  for (uint64_t key = 0; key < 8; ++key) {
    set_tower(Tower(key, 2, Constants::binary, bits));
    const at::Tensor places = at::arange(1 << 16, at::kLong);
    const Numbers x = uninterpreted("x", {{places}}), y = uninterpreted("y", {{places}});
    equal += function(x, y, 1).first().eq(function(x, y, 1 + 1e-10).first()).sum().item<int64_t>();
    all += places.numel();
  }
  return static_cast<double>(equal) / static_cast<double>(all) *
         static_cast<double>(tower().field(1).prime());
}

/// The belief of the README, measured where accidents are frequent: a difference is overlooked about once in
/// as many elements as the smallest prime is large.
TEST_F(NumbersTest, AccidentsAreAsRareAsTheFieldIsLarge) {
  for (const int bits : {16, 19}) {
    EXPECT_LT(accidents([](const Numbers& x, const Numbers& y,
                           double c) { return div(add(mul(x, y), constant(c)), add(x, y)); },
                        bits),
              3);
    const double exponential =
        accidents([](const Numbers& x, const Numbers& y,
                     double c) { return div(exp(mul(x, constant(c))), add(exp(x), exp(y))); },
                  bits);
    EXPECT_GT(exponential, 0.2);
    EXPECT_LT(exponential, 3);
    EXPECT_LT(accidents([](const Numbers& x, const Numbers& y,
                           double c) { return rsqrt(add(mul(x, x), mul(y, constant(c)))); },
                        bits),
              3);
  }
}

TEST_F(NumbersTest, SoftmaxDoesNotDependOnTheShift) {
  const Numbers x = variable("x", {4, 7}), shift = variable("m", {4, 1});
  const auto softmax = [](const Numbers& y) {
    const Numbers e = exp(y);
    return div(e, sum(e, {1}, true));
  };
  EXPECT_TRUE(same(softmax(x), softmax(sub(x, shift))));
  EXPECT_FALSE(same(softmax(x), softmax(mul(x, constant(1.0000001)))));
  EXPECT_EQ(softmax(x).levels.size(), 2U) << "an exponential uses up a level";
}

TEST_F(NumbersTest, LogarithmsOfSumsOfExponentialsDoNotDependOnTheShift) {
  const Numbers x = variable("x", {4, 7}), shift = variable("m", {4, 1});
  const Numbers direct = log(sum(exp(x), {1}, true));
  const Numbers shifted = add(log(sum(exp(sub(x, shift)), {1}, true)), shift);
  EXPECT_TRUE(same(direct, shifted));
  EXPECT_TRUE(same(exp(sub(x, direct)), exp(sub(x, shifted))));
  const Numbers third = constant(1.0 / 3);
  EXPECT_TRUE(same(mul(direct, third), mul(shifted, third))) << "a mean of losses";
  EXPECT_TRUE(same(add(mul(direct, third), mul(x, third)), mul(add(direct, x), third)));
  EXPECT_THROW(exp(mul(direct, third)), UserError);
}

TEST_F(NumbersTest, AMeanOfLossesIsThatOfTheirSum) {
  const Numbers x = log(variable("s", {6}));
  const auto part = [&](int64_t first) {
    return moved(
        {x}, [&](const std::vector<at::Tensor>& planes, int64_t) { return planes[0].narrow(0, first, 3); });
  };
  const Numbers sixth = constant(0.25);
  const Numbers whole = mul(sum(x, {}, false), sixth);
  EXPECT_TRUE(same(whole, add(mul(sum(part(0), {}, false), sixth), mul(sum(part(3), {}, false), sixth))));
  EXPECT_FALSE(same(whole, mul(sum(part(0), {}, false), sixth)));
}

TEST_F(NumbersTest, TheNormOfNormsIsTheNorm) {
  const Numbers x = variable("x", {5, 8});
  const Numbers rows = sqrt(sum(square(x), {1}, false));
  EXPECT_TRUE(same(sqrt(sum(square(rows), {}, false)), sqrt(sum(square(x), {}, false))));
  EXPECT_TRUE(same(power(rows, 2), sum(square(x), {1}, false)));
  EXPECT_TRUE(same(mul(rsqrt(x), sqrt(x)), constants(at::ones({5, 8}))));
}

TEST_F(NumbersTest, RootsThatShareMemoryAreNotOneNumber) {
  const Numbers roots = sqrt(variable("x", {2}));
  const auto part = [&](int64_t i) {
    return moved({roots}, [&](const std::vector<at::Tensor>& planes, int64_t) { return planes[0][i]; });
  };
  EXPECT_TRUE(same(mul(part(0), part(1)), mul({{part(0).first()}}, {{part(1).first()}})));
  EXPECT_TRUE(same(mul(part(0), part(0)), square(part(0))));
}

TEST_F(NumbersTest, ATenthOfALogarithmHasNoExponential) {
  const Numbers x = log(variable("s", {2}));
  EXPECT_THROW(exp(div(x, constant(0.1))), UserError) << "1 / 0.1 is ten as a double, and not as a number";
  EXPECT_TRUE(same(exp(div(x, constant(-1))), exp(neg(x))));
}

TEST_F(NumbersTest, MinusInfinityVanishesInExponentials) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Numbers x = constants(at::tensor({1.0, -infinity, 2.0}, at::kDouble));
  const Numbers e = exp(sub(x, constant(2)));
  EXPECT_EQ(e.first()[1].item<int64_t>(), 0);
  EXPECT_EQ(e.first()[2].item<int64_t>(), 1);
  EXPECT_EQ(constants(at::tensor({infinity, -infinity / infinity}, at::kDouble)).first()[1].item<int64_t>(),
            unknown);
}

TEST_F(NumbersTest, WhatHasNoResidueIsUnknownAndStaysSo) {
  const Numbers zero = constants(at::zeros({3}));
  EXPECT_TRUE(reciprocal(zero).first().eq(unknown).all().item<bool>());
  EXPECT_TRUE(mul(reciprocal(zero), zero).first().eq(unknown).all().item<bool>());
  EXPECT_EQ(sum(reciprocal(zero), {}, false).first().item<int64_t>(), unknown);
}

TEST_F(NumbersTest, TooManyExponentialsAreRefused) {
  EXPECT_THROW(exp(exp(exp(variable("x", {2})))), UserError);
}

TEST_F(NumbersTest, LiftedNumbersDependOnLevelZeroAlone) {
  const Numbers x = variable("x", {3});
  EXPECT_TRUE(at::equal(lifted(x).levels[1], lifted({{x.first()}}).levels[1]));
  EXPECT_EQ(lifted({{x.first()}}).levels.size(), 3U);
}

}  // namespace
}  // namespace parity::reference::exact
