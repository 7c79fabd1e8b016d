// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/optim/muon/muon.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/error.hpp"

namespace parity::reference {
namespace {

torch::Tensor matrix(int64_t rows, int64_t columns) {
  const torch::Tensor x = torch::arange(rows * columns, torch::kFloat64);
  return (x * 0.7 + (x * x) * 0.13).sin().view({rows, columns});
}

/// The polynomial of each singular value, with the singular vectors of the matrix.
torch::Tensor by_singular_values(const torch::Tensor& x, const std::vector<Quintic>& steps) {
  auto [u, s, vt] = at::linalg_svd(x / x.norm(), /*full_matrices=*/false);
  for (const auto& [a, b, c] : steps)
    s = a * s + b * s.pow(3) + c * s.pow(5);
  return u.matmul(at::diag(s)).matmul(vt);
}

MuonConfig of(MuonCoefficients coefficients, int64_t steps) {
  MuonConfig config;
  config.coefficients = coefficients;
  config.ns_steps = steps;
  return config;
}

TEST(NewtonSchulzTest, IsThePolynomialOfSingularValues) {
  for (const auto& [coefficients, count] :
       {std::pair(MuonCoefficients::fixed, 5), std::pair(MuonCoefficients::quintic, 5),
        std::pair(MuonCoefficients::polar_express, 8), std::pair(MuonCoefficients::fixed, 1)}) {
    const std::vector<Quintic> steps = newton_schulz_steps(of(coefficients, count));
    for (const auto& [rows, columns] : {std::pair(6, 6), std::pair(4, 9), std::pair(9, 4)}) {
      const torch::Tensor x = matrix(rows, columns);
      const torch::Tensor y = orthogonalized(x, steps, 1e-7, torch::kFloat64);
      EXPECT_TRUE(y.allclose(by_singular_values(x, steps), 1e-10, 1e-12)) << name_of(coefficients);
    }
  }
}

TEST(NewtonSchulzTest, EveryTableBringsSingularValuesNearOne) {
  for (const auto& [coefficients, count, near] :
       {std::tuple(MuonCoefficients::fixed, 5, 0.35), std::tuple(MuonCoefficients::quintic, 5, 0.35),
        std::tuple(MuonCoefficients::polar_express, 8, 0.01)}) {
    const torch::Tensor y =
        orthogonalized(matrix(8, 12), newton_schulz_steps(of(coefficients, count)), 1e-7, torch::kFloat64);
    const torch::Tensor s = std::get<1>(at::linalg_svd(y));
    EXPECT_LT((s - 1).abs().max().item<double>(), near) << name_of(coefficients) << ": " << s;
  }
}

TEST(NewtonSchulzTest, EachExpertIsAMatrixOfItsOwn) {
  const std::vector<Quintic> steps = newton_schulz_steps({});
  const torch::Tensor a = matrix(3, 5), b = matrix(3, 5).flip(0) * 100;
  const torch::Tensor both = orthogonalized(at::stack({a, b}), steps, 1e-7, torch::kFloat64);
  EXPECT_TRUE(torch::equal(both[0], orthogonalized(a, steps, 1e-7, torch::kFloat64)));
  EXPECT_TRUE(torch::equal(both[1], orthogonalized(b, steps, 1e-7, torch::kFloat64)));
}

TEST(NewtonSchulzTest, ZerosStayZeros) {
  const torch::Tensor zeros = torch::zeros({3, 4});
  EXPECT_TRUE(torch::equal(orthogonalized(zeros, newton_schulz_steps({}), 1e-7, torch::kFloat32), zeros));
}

TEST(NewtonSchulzTest, TwinHasNoNarrowType) {
  using enum NewtonSchulzPrecision;
  EXPECT_EQ(newton_schulz_dtype(bfloat16, torch::kFloat32), torch::kBFloat16);
  EXPECT_EQ(newton_schulz_dtype(bfloat16, torch::kFloat64), torch::kFloat64);
  EXPECT_EQ(newton_schulz_dtype(float32, torch::kFloat32), torch::kFloat32);
  EXPECT_EQ(newton_schulz_dtype(float32, torch::kFloat64), torch::kFloat64);
}

TEST(MuonScaleTest, FollowsEachConvention) {
  EXPECT_DOUBLE_EQ(muon_scale(MuonScale::original, 32, 8), 2);
  EXPECT_DOUBLE_EQ(muon_scale(MuonScale::original, 8, 32), 1);
  EXPECT_DOUBLE_EQ(muon_scale(MuonScale::match_rms_adamw, 16, 25), 1);
  EXPECT_DOUBLE_EQ(muon_scale(MuonScale::unit_rms_norm, 8, 32), 0.5);
  EXPECT_DOUBLE_EQ(muon_scale(MuonScale::none, 8, 32), 1);
}

Parameter parameter(const std::string& name, const torch::Tensor& value) {
  Parameter result{name, value.clone().requires_grad_(true)};
  result.value.mutable_grad() = (value * 3).cos();
  return result;
}

OptimizerConfig muon_config() {
  OptimizerConfig config;
  config.name = OptimizerName::muon;
  return config;
}

TEST(MuonTest, FollowsTheFormulaByHand) {
  OptimizerConfig config = muon_config();
  const Parameters parameters = {parameter("layers.0.attention.wo.weight", matrix(6, 4))};
  const auto optimizer = make_optimizer(config, parameters);
  const double lr = 0.1, mu = config.muon.momentum;
  torch::Tensor p = matrix(6, 4), m = torch::zeros({6, 4}, torch::kFloat64);
  for (int step = 0; step < 3; ++step) {
    const torch::Tensor g = parameters[0].value.grad();
    m = mu * m + (1 - mu) * g;
    const torch::Tensor u = by_singular_values(g + mu * (m - g), newton_schulz_steps(config.muon));
    p = p * (1 - lr * 0.1) - lr * std::sqrt(6.0 / 4) * u;
    optimizer->step({.lr = lr, .weight_decay = 0.1});
    EXPECT_TRUE(parameters[0].value.detach().allclose(p, 1e-10, 1e-12)) << step;
  }
}

TEST(MuonTest, LeavesEmbeddingsOutputAndVectorsToAdamW) {
  const Parameters parameters = {parameter("tok_embeddings.weight", matrix(6, 4)),
                                 parameter("pos_embeddings.weight", matrix(6, 4)),
                                 parameter("layers.0.attention.wq.weight", matrix(4, 4)),
                                 parameter("layers.0.attention_norm.weight", matrix(1, 4).flatten()),
                                 parameter("layers.0.moe.experts.w1", matrix(6, 4).view({2, 3, 4})),
                                 parameter("norm.weight", matrix(1, 4).flatten()),
                                 parameter("output.weight", matrix(6, 4))};
  std::vector<std::string> names;
  const auto muon = make_optimizer(muon_config(), parameters);
  for (const Optimizer::State& state : muon->state())
    if (!state.name.starts_with("step/") && !state.name.starts_with("exp_avg_sq/"))
      names.push_back(state.name);
  EXPECT_THAT(names,
              testing::ElementsAre("momentum_buffer/layers.0.attention.wq.weight",
                                   "momentum_buffer/layers.0.moe.experts.w1", "exp_avg/tok_embeddings.weight",
                                   "exp_avg/pos_embeddings.weight", "exp_avg/layers.0.attention_norm.weight",
                                   "exp_avg/norm.weight", "exp_avg/output.weight"));
}

TEST(MuonTest, RateOfItsOwnMustBeGiven) {
  OptimizerConfig config = muon_config();
  config.muon.lr = 0.02;
  const Parameters parameters = {parameter("layers.0.attention.wo.weight", matrix(6, 4))};
  const auto optimizer = make_optimizer(config, parameters);
  EXPECT_THROW(optimizer->step({.lr = 0.1, .weight_decay = 0.0}), UserError);
  optimizer->step({.lr = 0.1, .muon_lr = 0.0, .weight_decay = 0.0});
  EXPECT_TRUE(torch::equal(parameters[0].value.detach(), matrix(6, 4)));
}

/// q, k and v in one weight, of two key heads with two queries each.
TEST(MuonTest, SplitQkv_IsThreeMatrices) {
  OptimizerConfig config = muon_config();
  const torch::Tensor q = matrix(12, 10), k = matrix(6, 10) * 2, v = matrix(6, 10).flip(1);
  const auto fused = [](const torch::Tensor& a, const torch::Tensor& b, const torch::Tensor& c) {
    return at::cat({a.view({2, 6, 10}), b.view({2, 3, 10}), c.view({2, 3, 10})}, 1).reshape({24, 10});
  };
  const Parameters apart = {parameter("layers.0.attention.wq.weight", q),
                            parameter("layers.0.attention.wk.weight", k),
                            parameter("layers.0.attention.wv.weight", v)};
  const Parameters one = {parameter("layers.0.attention.wqkv.weight", fused(q, k, v))};
  make_optimizer(config, apart)->step({.lr = 0.1, .weight_decay = 0.1});
  const torch::Tensor want = fused(apart[0].value.detach(), apart[1].value.detach(), apart[2].value.detach());
  MatrixContext context;
  context.sharing = 2;
  context.head_dim = 3;
  for (const bool split : {false, true}) {
    config.muon.split_qkv = split;
    const Parameters own = {parameter("layers.0.attention.wqkv.weight", fused(q, k, v))};
    make_optimizer(config, own, context)->step({.lr = 0.1, .weight_decay = 0.1});
    EXPECT_EQ(own[0].value.detach().allclose(want, 1e-10, 1e-12), split);
  }
}

}  // namespace
}  // namespace parity::reference
