// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <torch/autograd.h>

#include "harness/base/error.hpp"
#include "reference/attention/attention.hpp"

namespace parity::reference {
namespace {

using Ids = std::vector<int64_t>;

/// A mask from positions: 0 begins a document.
Mask mask_of(const Ids& positions, int64_t seq_len) {
  const Ids tokens(positions.size(), 0);
  return make_mask({DocumentRule{DocumentBoundary::position_zero}}, tokens, positions, seq_len);
}

torch::Tensor random(torch::IntArrayRef sizes, torch::ScalarType dtype, bool grad = true) {
  return torch::randn(sizes, torch::kFloat64).to(dtype).requires_grad_(grad);
}

const AttentionBackend with_documents[] = {AttentionBackend::flex, AttentionBackend::varlen,
                                           AttentionBackend::dense, AttentionBackend::tiled};

class BackendTest : public testing::TestWithParam<AttentionBackend> {};
INSTANTIATE_TEST_SUITE_P(, BackendTest, testing::ValuesIn(with_documents),
                         [](const auto& instance) { return std::string(name_of(instance.param)); });

TEST_P(BackendTest, FourTokensOfTwoDocuments_FollowTheFormula) {
  // Width 1, so the scale is 1. Documents {0, 1} and {2, 3}; v picks out the weights.
  const auto column = [](std::vector<double> x) {
    return torch::tensor(x, torch::kFloat64).view({1, 1, 4, 1});
  };
  const torch::Tensor q = column({1, 2, 3, 1});
  const torch::Tensor k = column({1, 0, 2, 1});
  const torch::Tensor v = column({10, 20, 30, 40});
  const torch::Tensor out = attend(q, k, v, masks_for(GetParam(), mask_of({0, 1, 0, 1}, 4)));
  // Query 1 scores 2 and 0: weights e^2 and 1. Query 3 scores 2 and 1.
  const double first = (10 * std::exp(2.0) + 20) / (std::exp(2.0) + 1);
  const double second = (30 * std::exp(2.0) + 40 * std::exp(1.0)) / (std::exp(2.0) + std::exp(1.0));
  EXPECT_TRUE(torch::allclose(out.flatten(), torch::tensor({10.0, first, 30.0, second}, torch::kFloat64),
                              1e-15, 1e-14))
      << out.flatten();
}

TEST_P(BackendTest, CausalWithoutDocuments_EqualsSdpa) {
  torch::manual_seed(1);
  const Ids tokens(300, 0);
  const Mask mask = make_mask({}, tokens, tokens, 150);
  for (const int64_t value_width : {8, 5})
    for (const std::optional<double> scale : {std::optional<double>(), std::optional<double>(0.7)}) {
      const torch::Tensor q = random({2, 4, 150, 8}, torch::kFloat64),
                          k = random({2, 2, 150, 8}, torch::kFloat64),
                          v = random({2, 2, 150, value_width}, torch::kFloat64);
      const torch::Tensor expected = attend(q, k, v, masks_for(AttentionBackend::sdpa, mask), scale);
      EXPECT_TRUE(
          torch::allclose(attend(q, k, v, masks_for(GetParam(), mask), scale), expected, 1e-13, 1e-14))
          << value_width;
      EXPECT_EQ(torch::allclose(attend(q, k, v, masks_for(GetParam(), mask)), expected, 1e-13, 1e-14), !scale)
          << "a scale that changes nothing shows nothing";
    }
}

TEST(SdpaTest, TheScaleThatItHasByItselfGivesTheSameBits) {
  torch::manual_seed(6);
  for (const int64_t width : {4, 16, 192}) {
    const torch::Tensor x = random({1, 2, 20, width}, torch::kFloat32);
    EXPECT_TRUE(attend(x, x, x, {}).equal(attend(x, x, x, {}, {1 / std::sqrt(static_cast<double>(width))})));
  }
}

TEST_P(BackendTest, MasksCutFromAllRows_EqualOwnMasksBitForBit) {
  torch::manual_seed(5);
  const Ids positions = {0, 1, 2, 3, 0, 1, 0, 1, 0, 0, 1, 2, 0, 1, 2, 0};
  const AttentionMasks all = masks_for(GetParam(), mask_of(positions, 4));
  const torch::Tensor q = random({2, 4, 4, 8}, torch::kFloat32), k = random({2, 2, 4, 8}, torch::kFloat32);
  for (const int64_t first : {0, 1, 2}) {
    const Ids own(positions.begin() + 4 * first, positions.begin() + 4 * first + 8);
    const torch::Tensor expected = attend(q, k, k, masks_for(GetParam(), mask_of(own, 4)));
    EXPECT_TRUE(attend(q, k, k, rows_of(all, 4, first, 2)).equal(expected)) << first;
    EXPECT_EQ(attend(q, k, k, rows_of(all, 4, 0, 2)).equal(expected), first == 0) << "another row's mask";
  }
}

TEST_P(BackendTest, MasksWithoutDocuments_AreEqualForAnyRows) {
  const Ids tokens(12, 0);
  const AttentionMasks all = masks_for(GetParam(), make_mask({}, tokens, tokens, 4));
  const torch::Tensor q = random({1, 2, 4, 8}, torch::kFloat32);
  EXPECT_TRUE(attend(q, q, q, rows_of(all, 4, 1, 1)).equal(attend(q, q, q, rows_of(all, 4, 0, 1))));
}

void hold_against_finite_differences(const AttentionMasks& masks, int64_t value_width,
                                     std::optional<double> scale) {
  torch::Tensor inputs[] = {random({2, 4, 6, 2}, torch::kFloat64), random({2, 2, 6, 2}, torch::kFloat64),
                            random({2, 2, 6, value_width}, torch::kFloat64)};
  const torch::Tensor weights = random({2, 4, 6, value_width}, torch::kFloat64, false);
  const auto loss = [&] { return (attend(inputs[0], inputs[1], inputs[2], masks, scale) * weights).sum(); };
  loss().backward();
  const torch::NoGradGuard no_grad;
  constexpr double h = 1e-5;  // truncation h^2 = 1e-10, rounding 1e-16 / h = 1e-11
  for (torch::Tensor& input : inputs) {
    auto* values = input.data_ptr<double>();
    const torch::Tensor gradient = input.grad().contiguous();
    for (int64_t i = 0; i < input.numel(); ++i) {
      const double kept = values[i];
      values[i] = kept + h;
      const double above = loss().item<double>();
      values[i] = kept - h;
      const double below = loss().item<double>();
      values[i] = kept;
      EXPECT_NEAR(gradient.data_ptr<double>()[i], (above - below) / (2 * h), 1e-8) << i;
    }
  }
}

TEST_P(BackendTest, GradientsAgreeWithFiniteDifferences) {
  torch::manual_seed(2);
  const AttentionMasks masks = masks_for(GetParam(), mask_of({0, 1, 2, 0, 1, 0, 0, 1, 2, 3, 4, 5}, 6));
  hold_against_finite_differences(masks, 2, {});
  hold_against_finite_differences(masks, 3, 0.4);
}

TEST_P(BackendTest, KeepsTheTypeItIsGivenInBothDirections) {
  for (const torch::ScalarType dtype : {torch::kFloat32, torch::kFloat64}) {
    const torch::Tensor q = random({1, 2, 5, 4}, dtype), k = random({1, 1, 5, 4}, dtype),
                        v = random({1, 1, 5, 4}, dtype);
    const torch::Tensor out = attend(q, k, v, masks_for(GetParam(), mask_of({0, 1, 0, 1, 2}, 5)));
    EXPECT_EQ(out.scalar_type(), dtype);
    out.sum().backward();
    EXPECT_EQ(k.grad().scalar_type(), dtype);
  }
}

TEST_P(BackendTest, NothingOfOneDocumentReachesAnother) {
  torch::manual_seed(3);
  Ids positions;
  for (const int64_t length : {100, 130, 70})  // documents that end inside blocks
    for (int64_t i = 0; i < length; ++i)
      positions.push_back(i);
  const AttentionMasks masks = masks_for(GetParam(), mask_of(positions, 300));
  const torch::Tensor q = random({1, 2, 300, 4}, torch::kFloat32, false),
                      k = random({1, 2, 300, 4}, torch::kFloat32, false),
                      v = random({1, 2, 300, 4}, torch::kFloat32, false);
  const torch::Tensor before = attend(q, k, v, masks);
  for (const torch::Tensor& x : {q, k, v})
    x.narrow(2, 0, 100).mul_(3);
  const torch::Tensor after = attend(q, k, v, masks);
  EXPECT_TRUE(torch::equal(before.narrow(2, 100, 200), after.narrow(2, 100, 200))) << "leaked";
  EXPECT_FALSE(torch::equal(before.narrow(2, 0, 100), after.narrow(2, 0, 100))) << "nothing was perturbed";
}

TEST(FlexTest, EmptyBlocksAreNeverTouched) {
  Ids positions(512);
  for (size_t i = 0; i < positions.size(); ++i)
    positions[i] = static_cast<int64_t>(i) % 256;  // two documents of two blocks
  const Mask mask = mask_of(positions, 512);
  const AttentionMasks masks = masks_for(AttentionBackend::flex, mask);
  EXPECT_EQ(masks.blocks->empty_blocks(), 16 - 6);  // of 4 x 4, each document keeps 3
  torch::Tensor q = random({1, 1, 512, 4}, torch::kFloat64, false), k = q.clone(), v = q.clone();
  k.narrow(2, 0, 256).fill_(NAN);  // a product with 0 would show
  v.narrow(2, 0, 256).fill_(NAN);
  q.requires_grad_(true);
  k.requires_grad_(true);
  const torch::Tensor second = attend(q, k, v, masks).narrow(2, 256, 256);
  EXPECT_FALSE(second.isnan().any().item<bool>());
  second.sum().backward();
  EXPECT_FALSE(q.grad().narrow(2, 256, 256).isnan().any().item<bool>());
  EXPECT_FALSE(k.grad().narrow(2, 256, 256).isnan().any().item<bool>());
}

TEST(FlexTest, TakesKeysThatLieApart) {
  // Queries of the third block attend to the first block and their own, not to the one between.
  torch::manual_seed(4);
  const int64_t S = 384;
  Mask mask{1, S, nullptr,
            [](int64_t, int64_t q, int64_t kv) { return q >= kv && (q / 128 - kv / 128) % 2 == 0; }};
  const auto blocks = masks_for(AttentionBackend::flex, mask).blocks;
  EXPECT_THAT(blocks->row(0).back().keys, testing::ElementsAre(Range{0, 128}, Range{256, 128}));
  torch::Tensor inputs[] = {random({1, 2, S, 4}, torch::kFloat64), random({1, 1, S, 4}, torch::kFloat64),
                            random({1, 1, S, 4}, torch::kFloat64)};
  std::vector<torch::Tensor> outcomes[2];
  for (const AttentionBackend backend : {AttentionBackend::flex, AttentionBackend::dense}) {
    for (torch::Tensor& input : inputs)
      input.mutable_grad().reset();
    const torch::Tensor out = attend(inputs[0], inputs[1], inputs[2], masks_for(backend, mask));
    out.square().sum().backward();
    std::vector<torch::Tensor>& outcome = outcomes[backend == AttentionBackend::flex ? 0 : 1];
    outcome = {out.detach(), inputs[0].grad(), inputs[1].grad(), inputs[2].grad()};
  }
  for (size_t i = 0; i < 4; ++i)
    EXPECT_TRUE(torch::allclose(outcomes[0][i], outcomes[1][i], 1e-12, 1e-13)) << i;
}

TEST(FlexTest, AQueryThatMayLookAtNothingGivesZero) {
  const Mask mask{1, 3, nullptr, [](int64_t, int64_t q, int64_t kv) { return q > 0 && q >= kv; }};
  const torch::Tensor q = random({1, 1, 3, 2}, torch::kFloat64), k = random({1, 1, 3, 2}, torch::kFloat64),
                      v = random({1, 1, 3, 2}, torch::kFloat64);
  const torch::Tensor out = attend(q, k, v, masks_for(AttentionBackend::flex, mask));
  EXPECT_TRUE(out.select(2, 0).eq(0).all().item<bool>());
  out.sum().backward();
  for (const torch::Tensor& x : {q, k, v})
    EXPECT_TRUE(x.grad().isfinite().all().item<bool>());
}

TEST(SdpaTest, SaysWhyItTakesNoMaskButTheCausalOne) {
  try {
    masks_for(AttentionBackend::sdpa, mask_of({0, 1, 0}, 3));
    FAIL() << "took a mask";
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("sdpa supports only the causal mask ("),
                                             testing::HasSubstr("use flex or varlen")));
  }
}

}  // namespace
}  // namespace parity::reference
