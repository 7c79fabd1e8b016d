// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/optim/stored_weights.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "reference/optim/gradient_scaler.hpp"

namespace parity::reference {
namespace {

/// Returns a parameter of ones after updates of SGD that add 2^-11 each, less than half a step of bfloat16.
torch::Tensor after_small_updates(WeightStorage storage, int updates, int64_t elements = 1,
                                  std::vector<torch::Tensor> places = {{}}) {
  OptimizerConfig config;
  config.name = OptimizerName::sgd;
  config.weights = storage;
  const Parameters parameters = {{"w", torch::ones({elements}).requires_grad_()}};
  StoredWeights optimizer(make_optimizer(config, parameters), parameters, config, std::move(places));
  for (int i = 0; i < updates; ++i) {
    torch::Tensor(parameters[0].value).mutable_grad() = torch::full({elements}, -0x1p-11F);
    optimizer.step({.lr = 1, .weight_decay = 0});
  }
  return parameters[0].value.detach();
}

TEST(StoredWeightsTest, RoundingToNearestLosesSmallUpdates) {
  EXPECT_EQ(after_small_updates(WeightStorage::bfloat16, 64).item<float>(), 1.0F);
}

TEST(StoredWeightsTest, KahanAndMasterWeightsKeepThem) {
  for (const WeightStorage storage : {WeightStorage::kahan, WeightStorage::master})
    EXPECT_EQ(after_small_updates(storage, 64).item<float>(), 1.03125F) << name_of(storage);
}

TEST(StoredWeightsTest, ChanceKeepsThemInTheMean) {
  const torch::Tensor after = after_small_updates(WeightStorage::stochastic, 64, 4096);
  EXPECT_NEAR(after.mean().item<double>(), 1.03125, 5 * std::sqrt(64 / 16.0) * 0x1p-7 / 64);
  EXPECT_GT(after.std().item<double>(), 0);
}

TEST(StoredWeightsTest, Twin_RoundsNothingAndKeepsTheState) {
  for (const WeightStorage storage :
       {WeightStorage::bfloat16, WeightStorage::stochastic, WeightStorage::kahan, WeightStorage::master}) {
    OptimizerConfig config;
    config.name = OptimizerName::sgd;
    config.weights = storage;
    const Parameters parameters = {{"w", torch::full({1}, 1 + 0x1p-40, torch::kFloat64).requires_grad_()}};
    StoredWeights optimizer(make_optimizer(config, parameters), parameters, config, {{}}, /*rounds=*/false);
    for (int i = 0; i < 64; ++i) {
      torch::Tensor(parameters[0].value).mutable_grad() = torch::full({1}, -0x1p-30, torch::kFloat64);
      optimizer.step({.lr = 1, .weight_decay = 0});
    }
    EXPECT_EQ(parameters[0].value.item<double>(), 1 + 0x1p-40 + 0x1p-24) << name_of(storage);
    EXPECT_EQ(optimizer.state().size(), storage == WeightStorage::bfloat16 ? 1U : 2U) << name_of(storage);
    EXPECT_FALSE(optimizer.parameters_written()) << name_of(storage);
  }
}

TEST(StoredWeightsTest, WrittenParameters_AreRounded) {
  OptimizerConfig config;
  config.name = OptimizerName::sgd;
  config.weights = WeightStorage::bfloat16;
  const Parameters parameters = {{"w", torch::ones({2}).requires_grad_()}};
  StoredWeights optimizer(make_optimizer(config, parameters), parameters, config, {{}});
  EXPECT_FALSE(optimizer.parameters_written());
  torch::Tensor value = parameters[0].value.detach();
  value[1] = 1 + 0x1p-12F;
  EXPECT_TRUE(optimizer.parameters_written());
  EXPECT_EQ(value[1].item<float>(), 1.0F);
  value[0] = NAN;
  EXPECT_FALSE(optimizer.parameters_written()) << "NaN stays";
}

TEST(StoredWeightsTest, DrawsFollowThePlaceInTheWholeParameter) {
  const torch::Tensor whole = after_small_updates(WeightStorage::stochastic, 3, 64);
  const torch::Tensor part =
      after_small_updates(WeightStorage::stochastic, 3, 16, {torch::arange(32, 48, torch::kInt64)});
  EXPECT_TRUE(torch::equal(part, whole.slice(0, 32, 48)));
  EXPECT_FALSE(torch::equal(part, whole.slice(0, 0, 16)));
}

TEST(StoredWeightsTest, WeightsFromOutsideReplaceTheirMasters) {
  OptimizerConfig config;
  config.name = OptimizerName::sgd;
  config.weights = WeightStorage::master;
  const Parameters parameters = {{"w", torch::tensor({1.0F, 1.0F}).requires_grad_()}};
  StoredWeights optimizer(make_optimizer(config, parameters), parameters, config, {{}});
  torch::Tensor value = parameters[0].value.detach();
  value[1] = 3.0F;
  torch::Tensor(parameters[0].value).mutable_grad() = torch::full({2}, -0.25F);
  optimizer.step({.lr = 1, .weight_decay = 0});
  EXPECT_TRUE(torch::equal(value, torch::tensor({1.25F, 3.25F}))) << value;
}

TEST(StochasticallyRoundedTest, GoesUpForDrawsBelowTheFraction) {
  const float x = 1 + 0x1p-9F;  // a quarter of the way to the next value of bfloat16
  EXPECT_EQ(stochastically_rounded(x, 0x3FFF), 1 + 0x1p-7F);
  EXPECT_EQ(stochastically_rounded(x, 0x4000), 1.0F);
  EXPECT_EQ(stochastically_rounded(-x, 0), -1 - 0x1p-7F);
  EXPECT_EQ(stochastically_rounded(1.0F, 0), 1.0F);
  constexpr float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(stochastically_rounded(inf, 0), inf);
  EXPECT_TRUE(std::isnan(stochastically_rounded(NAN, 0)));
}

/// A scaler and one gradient.
class GradientScalerTest : public testing::Test {
 protected:
  static LossConfig config_of(double init) {
    LossConfig config;
    config.scale_init = init;
    config.scale_interval = 2;
    return config;
  }
  bool update(GradientScaler& scaler, double gradient, torch::ScalarType dtype = torch::kFloat) {
    const Parameters parameters = {{"w", torch::ones({1}, dtype).requires_grad_()}};
    gradient_ = torch::full({1}, gradient, dtype);
    torch::Tensor(parameters[0].value).mutable_grad() = gradient_;
    const bool skips = scaler.unscale(parameters, [](const torch::Tensor&) {});
    scaler.update();
    return skips;
  }

  torch::Tensor gradient_;
};

TEST_F(GradientScalerTest, FallsAfterOverflowAndGrowsAfterAStreak) {
  GradientScaler scaler(config_of(1024), torch::kCPU);
  EXPECT_FALSE(update(scaler, 512));
  EXPECT_EQ(gradient_.item<float>(), 0.5F);
  EXPECT_EQ(scaler.scale(), 1024);
  EXPECT_TRUE(update(scaler, NAN));
  EXPECT_EQ(scaler.scale(), 512);
  EXPECT_FALSE(update(scaler, 1));
  EXPECT_EQ(scaler.scale(), 512) << "the streak begins again";
  EXPECT_FALSE(update(scaler, 1));
  EXPECT_EQ(scaler.scale(), 1024);
}

TEST_F(GradientScalerTest, DoesNotGrowToInfinity) {
  GradientScaler scaler(config_of(0x1p127), torch::kCPU);
  for (int i = 0; i < 4; ++i)
    EXPECT_FALSE(update(scaler, 1));
  EXPECT_EQ(scaler.scale(), 0x1p127);
}

TEST_F(GradientScalerTest, DividesTheTwinsGradientsInDouble) {
  GradientScaler scaler(config_of(1000), torch::kCPU);
  EXPECT_FALSE(update(scaler, 3, torch::kDouble));
  EXPECT_NEAR(gradient_.item<double>(), 3e-3, 0x1p-60) << "3 * float32(1e-3) is 1.4e-10 away";
  EXPECT_TRUE(update(scaler, INFINITY, torch::kDouble));
  EXPECT_EQ(scaler.scale(), 500);
}

TEST_F(GradientScalerTest, OverflowOfAnotherRankSkipsToo) {
  GradientScaler scaler(config_of(1024), torch::kCPU);
  const Parameters parameters = {{"w", torch::ones({1}).requires_grad_()}};
  torch::Tensor(parameters[0].value).mutable_grad() = torch::ones({1});
  EXPECT_TRUE(scaler.unscale(parameters, [](const torch::Tensor& found) { found.fill_(1); }));
  scaler.update();
  EXPECT_EQ(scaler.scale(), 512);
}

}  // namespace
}  // namespace parity::reference
