// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/muon/newton_schulz.hpp"

#include <cmath>
#include <random>

#include <gmock/gmock.h>

#include "harness/laws/muon/conventions.hpp"
#include "harness/laws/muon/matrix_blocks.hpp"
#include "harness/laws/muon/muon_step.hpp"

namespace parity::laws {
namespace {

using Values = std::vector<double>;

Values noise(size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  Values values(count);
  for (double& value : values)
    value = normal(generator);
  return values;
}

NewtonSchulz usual() {
  return {.steps = schulz_steps(SchulzTable::keller_jordan, 5)};
}

/// By hand: 0.6 and 0.8 after the division, then five times 3.4445 x - 4.775 x^3 + 2.0315 x^5.
TEST(NewtonSchulzTest, Diagonal_IsThePolynomialOfItsElements) {
  const auto polynomial = [](double x) {
    for (int i = 0; i < 5; ++i)
      x = x * (3.4445 + x * x * (-4.7750 + x * x * 2.0315));
    return x;
  };
  const Values result = newton_schulz({3, 0, 0, 0, 4, 0}, 2, 3, usual(), SchulzArithmetic::exact);
  EXPECT_NEAR(result[0], polynomial(0.6), 1e-14);
  EXPECT_NEAR(result[4], polynomial(0.8), 1e-14);
  EXPECT_EQ(result[1] + result[2] + result[3] + result[5], 0);
}

TEST(NewtonSchulzTest, TallMatrix_IsTheTransposedOfTheWide) {
  const size_t rows = 7, columns = 3;
  const Values tall = noise(rows * columns, 1);
  Values wide(tall.size());
  for (size_t i = 0; i < rows; ++i)
    for (size_t j = 0; j < columns; ++j)
      wide[j * rows + i] = tall[i * columns + j];
  for (const SchulzArithmetic arithmetic : {SchulzArithmetic::exact, SchulzArithmetic::bfloat16_apart}) {
    const Values a = newton_schulz(tall, rows, columns, usual(), arithmetic),
                 b = newton_schulz(wide, columns, rows, usual(), arithmetic);
    for (size_t i = 0; i < rows; ++i)
      for (size_t j = 0; j < columns; ++j)
        EXPECT_EQ(a[i * columns + j], b[j * rows + i]);
  }
}

TEST(NewtonSchulzTest, Arithmetics_DifferByTheirDigits) {
  const Values given = noise(24 * 24, 2);
  const Values exact = newton_schulz(given, 24, 24, usual(), SchulzArithmetic::exact);
  const auto distance = [&](SchulzArithmetic arithmetic) {
    const Values other = newton_schulz(given, 24, 24, usual(), arithmetic);
    double squares = 0, all = 0;
    for (size_t i = 0; i < exact.size(); ++i) {
      squares += std::pow(other[i] - exact[i], 2);
      all += exact[i] * exact[i];
    }
    return std::sqrt(squares / all);
  };
  EXPECT_LT(distance(SchulzArithmetic::float32), 1e-5);
  EXPECT_GT(distance(SchulzArithmetic::float32), 1e-9);
  for (const SchulzArithmetic narrow :
       {SchulzArithmetic::bfloat16, SchulzArithmetic::bfloat16_apart, SchulzArithmetic::bfloat16_divided}) {
    EXPECT_LT(distance(narrow), 0.3);
    EXPECT_GT(distance(narrow), 1e-3);
  }
}

TEST(NewtonSchulzTest, ZeroMatrix_StaysZero) {
  EXPECT_THAT(newton_schulz(Values(6), 2, 3, usual(), SchulzArithmetic::bfloat16), testing::Each(0.0));
}

TEST(RoundToBitsTest, TiesGoToEven) {
  EXPECT_EQ(round_to_bits(1 + 0x1p-8, 8), 1);
  EXPECT_EQ(round_to_bits(1 + 0x3p-8, 8), 1 + 0x1p-6);
  EXPECT_EQ(round_to_bits(-1.00390625 - 1e-9, 8), -1.0078125);
  EXPECT_EQ(round_to_bits(0x1.ffp0, 8), 2);
  for (const double value : {0.1, -3e5, 1e-20})
    EXPECT_EQ(round_to_bits(value, 24), static_cast<double>(static_cast<float>(value)));
  EXPECT_TRUE(std::isnan(round_to_bits(NAN, 8)));
  EXPECT_EQ(round_to_bits(-INFINITY, 8), -INFINITY);
}

TEST(MatrixBlocksTest, FusedHeads_AreQueriesKeysAndValues) {
  const MatrixBlocks whole({8, 3});
  EXPECT_TRUE(whole.split({.sharing = 2, .head_dim = 3}).empty());  // 12 rows a key head
  const MatrixBlocks split = whole.split({.sharing = 2, .head_dim = 1});
  const Values given = noise(24, 3), result = split.orthogonalized(given, usual(), SchulzArithmetic::exact);
  Values keys;  // rows 2 and 6: two queries, a key, a value for each of two key heads
  for (const size_t row : {2, 6})
    keys.insert(keys.end(), given.begin() + static_cast<long>(row * 3),
                given.begin() + static_cast<long>(row * 3 + 3));
  const Values wanted = newton_schulz(keys, 2, 3, usual(), SchulzArithmetic::exact);
  for (size_t j = 0; j < 3; ++j) {
    EXPECT_EQ(result[2 * 3 + j], wanted[j]);
    EXPECT_EQ(result[6 * 3 + j], wanted[3 + j]);
  }
}

TEST(MatrixBlocksTest, Experts_AreApart) {
  const Values given = noise(2 * 3 * 4, 4);
  const Values result = MatrixBlocks({2, 3, 4}).orthogonalized(given, usual(), SchulzArithmetic::exact);
  const Values second =
      newton_schulz({given.begin() + 12, given.end()}, 3, 4, usual(), SchulzArithmetic::exact);
  EXPECT_THAT(Values(result.begin() + 12, result.end()), testing::ElementsAreArray(second));
}

/// What cannot be compared says so, and has no complaint.
TEST(MuonStepTest, Silence_HasAReason) {
  const Values none;
  const MuonMove move{none, none, 0.1, 0x1p-24};
  const auto silence = [&](std::vector<int64_t> shape, MuonRules rules) {
    const MuonStepCheck check =
        check_muon_step({"attention.wqkv.weight", std::move(shape), move, 0, {}, std::move(rules)});
    EXPECT_TRUE(check.complaints.empty());
    return check.silence;
  };
  EXPECT_EQ(silence({1024, 1024}, {}), StepSilence::large);
  EXPECT_EQ(silence({8, 8}, {.spent = true}), StepSilence::many);
  EXPECT_EQ(silence({8}, {}), StepSilence::shape);
  EXPECT_EQ(silence({8, 8}, {.by_blocks = true}), StepSilence::by_blocks);
  EXPECT_EQ(silence({8, 8}, {.split_qkv = true}), StepSilence::heads);
  for (const StepSilence reason :
       {StepSilence::large, StepSilence::many, StepSilence::shape, StepSilence::by_blocks, StepSilence::heads,
        StepSilence::rounding, StepSilence::narrow})
    EXPECT_FALSE(describe(reason).empty());
}

}  // namespace
}  // namespace parity::laws
