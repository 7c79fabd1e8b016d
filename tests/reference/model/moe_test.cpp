// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/model/decoder/moe.hpp"

#include <gmock/gmock.h>

#include "reference/model/decoder/router.hpp"

namespace parity::reference {
namespace {

constexpr int64_t D = 8, B = 2, S = 5;

MoeDimensions small() {
  return {.experts = 4,
          .top_k = 2,
          .hidden = 16,
          .shared_hidden = 5,
          .score = RouterScore::softmax,
          .load_balance = 0.5};
}

/// Weights of order one, different for each seed.
Moe made(const MoeDimensions& dimensions, torch::ScalarType dtype = torch::kFloat64) {
  Moe moe(D, 0, dimensions, torch::TensorOptions(dtype));
  at::manual_seed(5);
  moe.visit("", [](const std::string&, torch::Tensor& weight) {
    weight = torch::randn(weight.sizes(), torch::kFloat64).to(weight.scalar_type()).requires_grad_();
  });
  return moe;
}

torch::Tensor input(torch::ScalarType dtype = torch::kFloat64) {
  at::manual_seed(9);
  return torch::randn({B, S, D}, torch::kFloat64).to(dtype);
}

torch::Tensor identity() {
  return torch::arange(B * S).view({B, S});
}

torch::Tensor run(const Moe& moe, const torch::Tensor& x, const ExpertDispatch& dispatch = {}) {
  const ModuleHooks none;
  return moe.forward(x, identity(), Part(none, "moe"), {.dispatch = dispatch});
}

torch::Tensor swiglu(const torch::Tensor& x, const torch::Tensor& w1, const torch::Tensor& w2,
                     const torch::Tensor& w3) {
  return w2.matmul(at::silu(w1.matmul(x)) * w3.matmul(x));
}

/// The definition, a token at a time.
torch::Tensor by_definition(const Moe& moe, const torch::Tensor& x_BSD) {
  const torch::Tensor x = x_BSD.flatten(0, 1);
  const Routing routing = route(at::linear(x, moe.gate), moe.bias_E, moe.dimensions);
  std::vector<torch::Tensor> rows;
  for (int64_t t = 0; t < x.size(0); ++t) {
    torch::Tensor sum = torch::zeros({D}, x.options());
    for (int64_t slot = 0; slot < moe.dimensions.top_k; ++slot) {
      const auto e = routing.experts_TK[t][slot].item<int64_t>();
      const torch::Tensor score = routing.scores_TK[t][slot];
      const auto expert = [&](const torch::Tensor& taken) {
        return swiglu(taken, moe.experts.w1[e], moe.experts.w2[e], moe.experts.w3[e]);
      };
      sum = sum + (moe.dimensions.score_before ? expert(x[t] * score) : expert(x[t]) * score);
    }
    if (moe.shared)
      sum = sum + swiglu(x[t], moe.shared->w1.weight, moe.shared->w2.weight, moe.shared->w3.weight);
    rows.push_back(sum);
  }
  return at::stack(rows).view_as(x_BSD);
}

TEST(MoeTest, IsTheWeightedSumOfEachTokensExperts) {
  for (const bool before : {false, true})
    for (const int64_t shared : {0, 5}) {
      MoeDimensions dimensions = small();
      dimensions.score_before = before;
      dimensions.shared_hidden = shared;
      const Moe moe = made(dimensions);
      EXPECT_TRUE(run(moe, input()).allclose(by_definition(moe, input()), 1e-12, 1e-13));
    }
}

TEST(MoeTest, GradientsAreThoseOfTheDefinition) {
  const auto gradients = [](const auto& forward) {
    Moe moe = made(small());
    torch::Tensor x = input().requires_grad_();
    forward(moe, x).square().sum().backward();
    std::vector<torch::Tensor> all = {x.grad()};
    moe.visit("", [&](const std::string&, torch::Tensor& weight) { all.push_back(weight.grad()); });
    return all;
  };
  const auto ours = gradients([](const Moe& moe, const torch::Tensor& x) { return run(moe, x); });
  const auto defined = gradients(by_definition);
  ASSERT_EQ(ours.size(), 8U);
  for (size_t i = 0; i < ours.size(); ++i)
    EXPECT_TRUE(ours[i].allclose(defined[i], 1e-10, 1e-11)) << i;
}

TEST(MoeTest, AnExpertWithoutTokensHasAGradientOfZeros) {
  Moe moe = made(small());
  {
    const torch::NoGradGuard no_grad;
    moe.bias_E[2] = -10;
  }
  run(moe, input()).sum().backward();
  EXPECT_EQ(moe.tally.tokens_E[2].item<int64_t>(), 0);
  EXPECT_EQ(moe.experts.w1.grad()[2].abs().sum().item<double>(), 0);
  EXPECT_GT(moe.experts.w1.grad()[1].abs().sum().item<double>(), 0);
}

TEST(MoeTest, GroupedProducts_EqualABf16LoopNeverInATwin) {
  MoeDimensions grouped = small();
  grouped.matmul = ExpertMatmul::grouped_bf16;
  const Moe a = made(grouped, torch::kFloat32);
  Experts rounded = a.experts;
  rounded.matmul = ExpertMatmul::loop;
  for (torch::Tensor* weights : {&rounded.w1, &rounded.w2, &rounded.w3})
    *weights = weights->to(torch::kBFloat16);
  const torch::Tensor x = input(torch::kFloat32).flatten(0, 1);
  const std::vector<int64_t> tokens = {3, 0, 6, 1};
  EXPECT_TRUE(torch::equal(a.experts.forward(x, tokens),
                           rounded.forward(x.to(torch::kBFloat16), tokens).to(torch::kFloat32)));
  const Moe twin = made(grouped), loop = made(small());
  EXPECT_TRUE(torch::equal(run(twin, input()), run(loop, input())));
}

TEST(MoeTest, Counts_EachTokenOnceOnlyWithGradients) {
  const Moe moe = made(small());
  {
    const torch::NoGradGuard no_grad;
    run(moe, input());
  }
  EXPECT_EQ(moe.tally.tokens_E.sum().item<int64_t>(), 0);
  run(moe, input());
  EXPECT_EQ(moe.tally.tokens_E.sum().item<int64_t>(), B * S * 2);
  const auto digest = moe.tally.digest.item<int64_t>();
  EXPECT_NE(digest, 0);
  // The rows in the other order are the same tokens.
  const Moe other = made(small());
  const ModuleHooks none;
  other.forward(input().flip(0), identity().flip(0), Part(none, "moe"), {});
  EXPECT_EQ(other.tally.digest.item<int64_t>(), digest);
  // One token that goes elsewhere changes the digest.
  const Moe moved = made(small());
  torch::Tensor x = input();
  x[1][3] = -x[1][3];
  run(moved, x);
  EXPECT_NE(moved.tally.digest.item<int64_t>(), digest);
}

TEST(MoeTest, ADispatchGetsTokensSortedByExpert) {
  const Moe moe = made(small());
  std::vector<int64_t> seen;
  const torch::Tensor through = run(moe, input(), [&](const auto& x, const auto& tokens, const auto& own) {
    seen = tokens;
    return own(x, tokens);
  });
  EXPECT_TRUE(torch::equal(through, run(moe, input())));
  const torch::Tensor counted = moe.tally.tokens_E.div(2, "floor");  // of two passes
  EXPECT_EQ(seen,
            std::vector<int64_t>(counted.const_data_ptr<int64_t>(), counted.const_data_ptr<int64_t>() + 4));
}

}  // namespace
}  // namespace parity::reference
