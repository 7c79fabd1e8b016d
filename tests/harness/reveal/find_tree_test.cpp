// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/reveal/find_tree.hpp"

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "harness/reveal/predict.hpp"
#include "tests/harness/reveal/summing.hpp"

namespace parity::reveal {
namespace {

using testing::HasSubstr;

std::string refusal(const SummingOperator& op) {
  try {
    find_tree(op);
    return "";
  } catch (const UserError& error) {
    return error.what();
  }
}

/// An operator that computes by a tree.
SummingOperator operator_of(const SummationTree& tree, DType type) {
  Arithmetic arithmetic{std::vector<DType>(tree.nodes.size(), type), std::vector<bool>(tree.terms, false)};
  return {tree.terms, type, type, false, [=](const std::vector<Summands>& all) {
            std::vector<double> results;
            for (const Summands& each : all)
              results.push_back(sum_by(tree, arithmetic, each, false));
            return results;
          }};
}

TEST(FindTreeTest, RandomTreesAreFound) {
  for (const DType type : {DType::float64, DType::float32, DType::bfloat16, DType::float16})
    for (uint64_t seed = 0; seed < 30; ++seed) {
      const SummationTree tree = random_tree(2 + seed * 3, seed);
      const FoundTree found = find_tree(operator_of(tree, type));
      EXPECT_EQ(partial_sums(found.tree), partial_sums(tree)) << seed;
      EXPECT_EQ(found.tree.leaves(found.tree.root).size(), tree.terms);
      EXPECT_EQ(found.scale, 1);
    }
}

TEST(FindTreeTest, ALoopNeedsOneRound) {
  const FoundTree found = find_tree(float32_operator(100, false, [](auto x, auto) { return loop_sum(x); }));
  EXPECT_EQ(found.tree.depth(), 99U);
  EXPECT_EQ(found.probes, 1U + 99U);
}

TEST(FindTreeTest, AMeanIsAScaledSum) {
  const FoundTree found = find_tree(
      float32_operator(48, false, [](auto x, auto) { return loop_sum(x) / static_cast<float>(x.size()); }));
  EXPECT_NEAR(found.scale, 1.0 / 48, 1e-8);
  EXPECT_EQ(found.tree.depth(), 47U);
}

TEST(FindTreeTest, WhatIsNoSumIsRefused) {
  const auto of = [](const auto& sum) { return refusal(float32_operator(16, false, sum)); };
  EXPECT_THAT(of([](auto x, auto) { return x[0]; }), HasSubstr("counts no summands"));
  EXPECT_THAT(of([](auto, auto) { return 0.0F; }), HasSubstr("not a multiple of their sum"));
  EXPECT_THAT(of([](auto, auto) { return NAN; }), HasSubstr("not a multiple of their sum"));
  EXPECT_THAT(of([](auto x, auto) {
                double sum = 0;
                for (const float each : x)
                  sum += static_cast<double>(each) * each;
                return static_cast<float>(sum);
              }),
              HasSubstr("counts no summands"));
  int calls = 0;
  EXPECT_THAT(of([&](auto x, auto) { return ++calls % 3 == 0 ? lane_sum(x) : loop_sum(x); }),
              HasSubstr("cannot reveal"));
}

TEST(FindTreeTest, AnExactSumHasNoOrder) {
  const auto exact = [](auto x, auto) {
    long double small = 0, large = 0;
    for (const float each : x)
      (std::abs(each) > 1e30F ? large : small) += each;
    return static_cast<float>(large + small);
  };
  EXPECT_THAT(refusal(float32_operator(16, false, exact)), HasSubstr("nothing was absorbed"));
}

TEST(FindTreeTest, UnsuitableQuestionsAreRefused) {
  SummingOperator op = float32_operator(1, false, [](auto x, auto) { return x[0]; });
  EXPECT_THAT(refusal(op), HasSubstr("one element has no order"));
  op.terms = 8;
  op.input = DType::int64;
  EXPECT_THAT(refusal(op), HasSubstr("cannot reveal a sum of int64 numbers"));
  op.input = DType::float16;
  op.terms = 4096;
  EXPECT_THAT(refusal(op), HasSubstr("at most 1024"));
  op.input = op.output = DType::bfloat16;
  EXPECT_THAT(refusal(op), HasSubstr("at most 256 terms"));
  op = {8, DType::float32, DType::float32, false, [](const auto&) { return std::vector<double>{}; }};
  EXPECT_THAT(refusal(op), HasSubstr("gave 0 results for 8 inputs"));
}

}  // namespace
}  // namespace parity::reveal
