// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// The error of a distance that is estimated from two sketches, over many tensors of a distribution, against
// the standard deviation that sketch.hpp states.
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "harness/measure/tensor/sketch.hpp"
#include "tests/support/traces/samples.hpp"

namespace parity::measure {
namespace {

using Gap = std::vector<double>;

double normal(std::mt19937& random) {
  const double radius = std::sqrt(-2 * std::log(1 - uniform(random)));
  return radius * std::cos(2 * M_PI * uniform(random));
}

struct Distribution {
  const char* name;
  std::function<Gap(unsigned seed)> draw;
  double independent = 1;  ///< share of the trials that chance makes independent
};

Gap drawn(size_t count, unsigned seed, const std::function<double(std::mt19937&)>& each) {
  std::mt19937 random(seed);
  Gap gap(count);
  for (double& value : gap)
    value = each(random);
  return gap;
}

constexpr size_t count = 64 * 256;

Gap heavy_tail(unsigned seed) {  // Student's t with 3 degrees of freedom
  return drawn(count, seed, [](std::mt19937& random) {
    const double a = normal(random), b = normal(random), c = normal(random);
    return normal(random) / std::sqrt((a * a + b * b + c * c) / 3);
  });
}

Gap spike(unsigned seed) {
  Gap gap(count, 0.0);
  gap[seed * 7919 % count] = 3;
  return gap;
}

/// The values are not random, and the signs are the same in each; only the size, and thus the blocks, differ.
Gap constant(unsigned seed) {
  return Gap(count / 4 + 64 * seed, 0.5);
}

Gap low_rank(unsigned seed) {
  std::mt19937 random(seed);
  Gap rows(128), columns(128), gap;
  for (Gap* side : {&rows, &columns})
    for (double& value : *side)
      value = normal(random);
  for (const double row : rows)
    for (const double column : columns)
      gap.push_back(row * column);
  return gap;
}

Gap in_one_block(unsigned seed) {
  const Gap inside = drawn(count / 64, seed, normal);
  Gap gap(count, 0.0);
  std::copy(inside.begin(), inside.end(), gap.begin() + seed % 64 * (count / 64));
  return gap;
}

const std::vector<Distribution> distributions = {
    {"normal", [](unsigned seed) { return drawn(count, seed, normal); }},
    {"heavy_tail", heavy_tail},
    {"spike", spike},
    {"constant", constant, 0.05},
    {"low_rank", low_rank},
    {"in_one_block", in_one_block}};

/// Sums over a gap: the squares of all, of each block's sum the square, and what the signs' chance can do.
struct Facts {
  double squares = 0;
  double variance = 0;  ///< of the estimate of `squares`: 2 sum_b (|d_b|^4 - sum_i d_i^4)
  double bound = 0;     ///< of its relative standard deviation: sqrt(2 sum_b (|d_b|^2 / |d|^2)^2)
};

Facts facts_of(const Gap& gap) {
  std::vector<double> block(64, 0.0);
  double fourth = 0;
  Facts facts;
  for (size_t i = 0; i < gap.size(); ++i) {
    const double square = gap[i] * gap[i];
    block[static_cast<size_t>(sketch_block(static_cast<int64_t>(i), static_cast<int64_t>(gap.size())))] +=
        square;
    facts.squares += square;
    fourth += square * square;
  }
  double blocks = 0;
  for (const double each : block)
    blocks += each * each;
  facts.variance = 2 * (blocks - fourth);
  facts.bound = std::sqrt(2 * blocks) / facts.squares;
  return facts;
}

/// As compare/tensors/gap estimates it: from two sketches, not from that of the gap.
double estimate(const Gap& gap, unsigned seed) {
  Gap values = drawn(gap.size(), seed + 1000, normal);
  const auto before = sketch_of(Sample(DType::float64, values).view);
  for (size_t i = 0; i < gap.size(); ++i)
    values[i] += gap[i];
  const auto after = sketch_of(Sample(DType::float64, values).view);
  double sum = 0;
  for (size_t b = 0; b < before.size(); ++b)
    sum += (after[b] - before[b]) * (after[b] - before[b]);
  return sum;
}

class SketchEstimateTest : public testing::TestWithParam<Distribution> {};
INSTANTIATE_TEST_SUITE_P(Distributions, SketchEstimateTest, testing::ValuesIn(distributions),
                         [](const auto& row) { return std::string(row.param.name); });

TEST_P(SketchEstimateTest, MeanAndSpreadAreAsStated) {
  constexpr unsigned trials = 400;
  double mean = 0, squares = 0, predicted = 0, bound = 0;
  for (unsigned seed = 1; seed <= trials; ++seed) {
    const Gap gap = GetParam().draw(seed);
    const Facts facts = facts_of(gap);
    const double ratio = estimate(gap, seed) / facts.squares;
    mean += ratio / trials;
    squares += (ratio - 1) * (ratio - 1) / trials;
    predicted += facts.variance / (facts.squares * facts.squares) / trials;
    bound += facts.bound / trials;
  }
  const double spread = std::sqrt(squares), expected = std::sqrt(predicted);
  RecordProperty("relative_standard_deviation", std::to_string(spread));
  const double draws = trials * GetParam().independent;
  // Four standard deviations of a mean over the draws, and rounding.
  EXPECT_NEAR(mean, 1, 4 * expected / std::sqrt(draws) + 1e-9);
  // The spread of n normal numbers is known to 1 / sqrt(2 n) of it; squares of them have longer tails.
  EXPECT_NEAR(spread, expected, 7 / std::sqrt(2 * draws) * expected + 1e-9);
  EXPECT_LE(spread, 1.25 * bound);
  EXPECT_LE(bound, std::sqrt(2.0) * (1 + 1e-9));
}

TEST(SketchBlockTest, TheLargestGapNamesTheBlockOfAnErrorInNoise) {
  for (unsigned seed = 1; seed <= 64; ++seed) {
    Gap values = drawn(count, seed, normal);
    const auto before = sketch_of(Sample(DType::float64, values).view);
    std::mt19937 random(seed + 99);
    for (size_t i = 0; i < count; ++i)
      values[i] += 1e-4 * normal(random) + (i / 256 == seed - 1 ? 1e-2 * normal(random) : 0);
    const auto after = sketch_of(Sample(DType::float64, values).view);
    size_t worst = 0;
    for (size_t b = 1; b < before.size(); ++b)
      worst = std::abs(after[b] - before[b]) > std::abs(after[worst] - before[worst]) ? b : worst;
    EXPECT_EQ(worst, seed - 1);
  }
}

TEST(SketchSumTest, TermsOfASumAddUp) {
  // Terms of a gradient from micro-batches or ranks; integers, so that nothing rounds.
  const size_t n = 5000;
  Gap whole(n, 0.0);
  std::vector<double> sums(64, 0.0);
  for (unsigned term = 1; term <= 4; ++term) {
    const Gap values =
        drawn(n, term, [](std::mt19937& random) { return std::floor(1000 * uniform(random)) - 500; });
    const auto sketch = sketch_of(Sample(DType::float32, values).view);
    for (size_t b = 0; b < sums.size(); ++b)
      sums[b] += sketch[b];
    for (size_t i = 0; i < n; ++i)
      whole[i] += values[i];
  }
  EXPECT_EQ(sums, sketch_of(Sample(DType::float32, whole).view));
}

}  // namespace
}  // namespace parity::measure
