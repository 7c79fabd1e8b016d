// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/optim/optimizer.hpp"

#include <array>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace parity::reference {
namespace {

constexpr std::array<double, 4> start = {1.0, -2.0, 0.5, 3.0};
constexpr std::array<std::array<double, 4>, 3> gradients = {
    {{0.1, -0.2, 0.3, 0.0}, {-0.5, 0.25, 0.125, 1.0}, {0.01, 0.02, -0.03, 0.04}}};

torch::Tensor tensor_of(const std::array<double, 4>& values) {
  return torch::tensor(at::ArrayRef<double>(values), torch::kFloat64).view({2, 2}).clone();
}

/// Three updates of one 2x2 parameter. \return its four values
std::vector<double> trained(const OptimizerConfig& config, double lr) {
  const Parameters parameters = {{"p", tensor_of(start).requires_grad_(true)}};
  const auto optimizer = make_optimizer(config, parameters);
  for (const auto& gradient : gradients) {
    torch::Tensor(parameters[0].value).mutable_grad() = tensor_of(gradient);
    optimizer->step({.lr = lr, .weight_decay = config.weight_decay});
  }
  const torch::Tensor flat = parameters[0].value.detach().flatten();
  return {flat.data_ptr<double>(), flat.data_ptr<double>() + 4};
}

class AdamWTest : public testing::TestWithParam<OptimizerImplementation> {
 protected:
  static OptimizerConfig config_of(OptimizerImplementation implementation) {
    OptimizerConfig config;
    config.implementation = implementation;
    config.weight_decay = 0.1;
    return config;
  }
};

INSTANTIATE_TEST_SUITE_P(Implementations, AdamWTest,
                         testing::Values(OptimizerImplementation::fused, OptimizerImplementation::plain,
                                         OptimizerImplementation::foreach),
                         [](const auto& each) { return std::string(name_of(each.param)); });

TEST_P(AdamWTest, FollowsTheFormulaByHand) {
  const OptimizerConfig config = config_of(GetParam());
  const double lr = 0.01, b1 = config.beta1, b2 = config.beta2;
  const std::vector<double> actual = trained(config, lr);
  for (size_t i = 0; i < 4; ++i) {
    double p = start[i], m = 0, v = 0;
    for (size_t t = 1; t <= 3; ++t) {
      const double g = gradients[t - 1][i];
      p *= 1 - lr * 0.1;
      m = b1 * m + (1 - b1) * g;
      v = b2 * v + (1 - b2) * g * g;
      const double corrected_m = m / (1 - std::pow(b1, t));
      const double corrected_v = v / (1 - std::pow(b2, t));
      p -= lr * corrected_m / (std::sqrt(corrected_v) + config.eps);
    }
    EXPECT_NEAR(actual[i], p, 1e-14) << i;
  }
}

TEST_P(AdamWTest, LearningRateZeroLeavesEveryBit) {
  EXPECT_THAT(trained(config_of(GetParam()), 0.0), testing::ElementsAreArray(start));
}

TEST_P(AdamWTest, AdamAddsTheDecayToTheGradient) {
  OptimizerConfig config = config_of(GetParam());
  config.name = OptimizerName::adam;
  const double lr = 0.01, b1 = config.beta1, b2 = config.beta2;
  const std::vector<double> actual = trained(config, lr);
  for (size_t i = 0; i < 4; ++i) {
    double p = start[i], m = 0, v = 0;
    for (size_t t = 1; t <= 3; ++t) {
      const double g = gradients[t - 1][i] + 0.1 * p;
      m = b1 * m + (1 - b1) * g;
      v = b2 * v + (1 - b2) * g * g;
      p -= lr * m / (1 - std::pow(b1, t)) / (std::sqrt(v / (1 - std::pow(b2, t))) + config.eps);
    }
    EXPECT_NEAR(actual[i], p, 1e-14) << i;
  }
}

TEST(LionTest, FollowsTheFormulaByHand) {
  OptimizerConfig config;
  config.name = OptimizerName::lion;
  config.beta2 = 0.99;
  const std::vector<double> actual = trained(config, 0.01);
  for (size_t i = 0; i < 4; ++i) {
    double p = start[i], m = 0;
    for (const auto& gradient : gradients) {
      const double direction = 0.9 * m + (1 - 0.9) * gradient[i];
      p = p * (1 - 0.01 * 0.1) - 0.01 * (direction > 0 ? 1 : direction < 0 ? -1 : 0);
      m = 0.99 * m + (1 - 0.99) * gradient[i];
    }
    EXPECT_NEAR(actual[i], p, 1e-14) << i;
  }
}

/// Which of a matrix and a vector shrink by weight decay alone.
std::vector<bool> shrunk(OptimizerConfig config, DecayedParameters rule) {
  config.decay = rule;
  config.weight_decay = 0.1;
  const Parameters parameters = {{"layers.0.attention.wo.weight", torch::ones({2, 2}).requires_grad_(true)},
                                 {"norm.weight", torch::ones({2}).requires_grad_(true)}};
  for (const Parameter& parameter : parameters)
    torch::Tensor(parameter.value).mutable_grad() = torch::zeros_like(parameter.value);
  make_optimizer(config, parameters)->step({.lr = 0.5, .weight_decay = 0.1});
  return {parameters[0].value.min().item<float>() < 1, parameters[1].value.min().item<float>() < 1};
}

TEST(DecayTest, OfMatrices_LeavesVectors) {
  for (const OptimizerName name : {OptimizerName::adamw, OptimizerName::sgd, OptimizerName::muon,
                                   OptimizerName::adam, OptimizerName::lion, OptimizerName::adafactor})
    for (const OptimizerImplementation form :
         {OptimizerImplementation::fused, OptimizerImplementation::plain, OptimizerImplementation::foreach}) {
      OptimizerConfig config;
      config.name = name;
      config.implementation = form;
      EXPECT_EQ(shrunk(config, DecayedParameters::all), std::vector({true, true})) << name_of(name);
      EXPECT_EQ(shrunk(config, DecayedParameters::matrices), std::vector({true, false})) << name_of(name);
    }
}

OptimizerConfig sgd(double momentum, double weight_decay, OptimizerImplementation implementation) {
  OptimizerConfig config;
  config.name = OptimizerName::sgd;
  config.momentum = momentum;
  config.weight_decay = weight_decay;
  config.implementation = implementation;
  return config;
}

class SgdTest : public testing::TestWithParam<OptimizerImplementation> {};

TEST_P(SgdTest, FollowsTheFormulaByHand) {
  for (const double momentum : {0.0, 0.9}) {
    const std::vector<double> actual = trained(sgd(momentum, 0.1, GetParam()), 0.05);
    for (size_t i = 0; i < 4; ++i) {
      double p = start[i], buffer = 0;
      for (const auto& gradient : gradients) {
        buffer = momentum * buffer + gradient[i] + 0.1 * p;
        p -= 0.05 * buffer;
      }
      EXPECT_NEAR(actual[i], p, 1e-14) << "momentum " << momentum << " element " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Implementations, SgdTest,
                         testing::Values(OptimizerImplementation::fused, OptimizerImplementation::plain,
                                         OptimizerImplementation::foreach),
                         [](const auto& instance) { return std::string(name_of(instance.param)); });

TEST(OptimizerStateTest, NamesEveryTensorThatIsNeededToGoOn) {
  const Parameters parameters = {{"p", tensor_of(start).requires_grad_(true)}};
  std::vector<std::string> names;
  const auto adamw = make_optimizer({}, parameters);
  for (const Optimizer::State& state : adamw->state())
    names.push_back(state.name);
  EXPECT_THAT(names, testing::ElementsAre("exp_avg/p", "exp_avg_sq/p", "step/p"));
  names.clear();
  const auto momentum = make_optimizer(sgd(0.9, 0, OptimizerImplementation::fused), parameters);
  for (const Optimizer::State& state : momentum->state())
    names.push_back(state.name);
  EXPECT_THAT(names, testing::ElementsAre("momentum/p", "step"));
}

}  // namespace
}  // namespace parity::reference
