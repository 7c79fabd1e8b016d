// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/optim/adafactor/adafactor.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/error.hpp"

namespace parity::reference {
namespace {

torch::Tensor values(const std::vector<int64_t>& shape, double shift) {
  const torch::Tensor x = torch::arange(c10::multiply_integers(shape), torch::kFloat64);
  return (x * 0.7 + (x * x) * 0.13 + shift).sin().view(shape);
}

/// Adafactor by loops over elements, after the paper, with its sums as means.
class ByHand {
 public:
  ByHand(const AdafactorConfig& config, std::vector<int64_t> shape)
      : config_(config),
        rows_(shape.size() < 2 ? 1 : static_cast<size_t>(shape[shape.size() - 2])),
        columns_(static_cast<size_t>(shape.back())),
        is_vector_(shape.size() < 2) {}

  void step(std::vector<double>& p, const std::vector<double>& g, double lr, double decay) {
    ++t_;
    const double rate = config_.relative_step ? std::min(lr, 1 / std::sqrt(t_)) : lr;
    const double step = config_.scale_parameter ? std::max(config_.eps2, rms(p)) * rate : rate;
    const std::vector<double> v = second_moment(g);
    std::vector<double> u(g.size());
    for (size_t i = 0; i < g.size(); ++i)
      u[i] = g[i] / (adds() ? std::sqrt(v[i]) : std::max(std::sqrt(v[i]), config_.eps1));
    const double divisor = std::max(1.0, rms(u) / config_.d);
    for (size_t i = 0; i < p.size(); ++i)
      p[i] = p[i] * (1 - lr * decay) - step * u[i] / divisor;
  }

 private:
  bool adds() const { return config_.eps1_place == AdafactorEps::square; }
  static double rms(const std::vector<double>& x) {
    double sum = 0;
    for (const double each : x)
      sum += each * each;
    return std::sqrt(sum / static_cast<double>(x.size()));
  }
  double squared(double g) const { return g * g + (adds() ? config_.eps1 : 0); }
  void follow(double& moment, double square) const {
    const double beta2 = 1 - std::pow(t_, config_.beta2_decay);
    moment = beta2 * moment + (1 - beta2) * square;
  }

  std::vector<double> second_moment(const std::vector<double>& g) {
    if (is_vector_) {
      elements_.resize(g.size());
      for (size_t i = 0; i < g.size(); ++i)
        follow(elements_[i], squared(g[i]));
      return elements_;
    }
    const size_t matrices = g.size() / (rows_ * columns_);
    row_moments_.resize(matrices * rows_);
    column_moments_.resize(matrices * columns_);
    std::vector<double> v(g.size());
    for (size_t m = 0; m < matrices; ++m) {
      const auto at = [&](size_t r, size_t c) { return (m * rows_ + r) * columns_ + c; };
      double mean = 0;
      for (size_t r = 0; r < rows_; ++r) {
        double sum = 0;
        for (size_t c = 0; c < columns_; ++c)
          sum += squared(g[at(r, c)]);
        follow(row_moments_[m * rows_ + r], sum / static_cast<double>(columns_));
        mean += row_moments_[m * rows_ + r] / static_cast<double>(rows_);
      }
      for (size_t c = 0; c < columns_; ++c) {
        double sum = 0;
        for (size_t r = 0; r < rows_; ++r)
          sum += squared(g[at(r, c)]);
        follow(column_moments_[m * columns_ + c], sum / static_cast<double>(rows_));
      }
      for (size_t r = 0; r < rows_; ++r)
        for (size_t c = 0; c < columns_; ++c)
          v[at(r, c)] = row_moments_[m * rows_ + r] * column_moments_[m * columns_ + c] /
                        (adds() ? mean : std::max(mean, config_.eps1));
    }
    return v;
  }

  AdafactorConfig config_;
  size_t rows_, columns_;
  bool is_vector_;
  double t_ = 0;
  std::vector<double> row_moments_, column_moments_, elements_;
};

std::vector<double> flat(const torch::Tensor& x) {
  const torch::Tensor own = x.detach().contiguous();
  return {own.data_ptr<double>(), own.data_ptr<double>() + own.numel()};
}

OptimizerConfig with(const AdafactorConfig& adafactor) {
  OptimizerConfig config;
  config.name = OptimizerName::adafactor;
  config.implementation = OptimizerImplementation::plain;
  config.adafactor = adafactor;
  return config;
}

struct Case {
  std::string name;
  AdafactorConfig config;
  double lr = 0.3;
};

class AdafactorTest : public testing::TestWithParam<Case> {};

TEST_P(AdafactorTest, FollowsTheFormulaByHand) {
  for (const std::vector<int64_t>& shape :
       std::vector<std::vector<int64_t>>{{5}, {4, 3}, {3, 7}, {2, 4, 3}}) {
    ByHand hand(GetParam().config, shape);
    const Parameters parameters = {{"p", values(shape, 0.1).requires_grad_(true)}};
    std::vector<double> wanted = flat(parameters[0].value);
    const auto optimizer = make_optimizer(with(GetParam().config), parameters);
    for (int update = 1; update <= 20; ++update) {
      const torch::Tensor gradient = values(shape, 1.7 * update) * 0.01;
      torch::Tensor(parameters[0].value).mutable_grad() = gradient;
      optimizer->step({.lr = GetParam().lr, .weight_decay = 0.1});
      hand.step(wanted, flat(gradient), GetParam().lr, 0.1);
    }
    EXPECT_THAT(flat(parameters[0].value), testing::Pointwise(testing::DoubleNear(1e-13), wanted)) << shape;
  }
}

INSTANTIATE_TEST_SUITE_P(Settings, AdafactorTest,
                         testing::Values(Case{"Usual", {}}, Case{"EpsOfTheDenominatorActs", {.eps1 = 5e-3}},
                                         Case{"EpsOfTheSquareActs",
                                              {.eps1 = 1e-4, .eps1_place = AdafactorEps::square}},
                                         Case{"FixedStep", {.relative_step = false}},
                                         Case{"StepOfItsOwnSize", {.scale_parameter = false}},
                                         Case{"LeastSizeOfAParameterActs", {.eps2 = 2.0}},
                                         Case{"OtherDecayAndLaterClipping", {.beta2_decay = -0.5, .d = 1.1}}),
                         [](const auto& instance) { return instance.param.name; });

TEST(AdafactorStateTest, HasRowsAndColumnsOfEachExpert) {
  const Parameters parameters = {{"experts", values({2, 4, 3}, 0).requires_grad_(true)},
                                 {"norm", values({5}, 0).requires_grad_(true)}};
  std::vector<std::string> names;
  int64_t numbers = 0;
  const auto optimizer = make_optimizer(with({}), parameters);
  for (const Optimizer::State& state : optimizer->state()) {
    names.push_back(state.name);
    numbers += state.value.dim() > 0 ? state.value.numel() : 0;
  }
  EXPECT_THAT(names, testing::ElementsAre("row_var/experts", "col_var/experts", "step/experts",
                                          "variance/norm", "step/norm"));
  EXPECT_EQ(numbers, 2 * (4 + 3) + 5);
  EXPECT_EQ(numbers, adafactor_numbers({2, 4, 3}) + adafactor_numbers({5}));
}

TEST(AdafactorStateTest, RowsWithoutGradient_StayFinite) {
  const Parameters parameters = {{"p", torch::ones({3, 4}).requires_grad_(true)}};
  torch::Tensor gradient = torch::zeros({3, 4});
  gradient[1].fill_(1.0);
  torch::Tensor(parameters[0].value).mutable_grad() = gradient;
  make_optimizer(with({}), parameters)->step({.lr = 0.1, .weight_decay = 0.0});
  EXPECT_TRUE(torch::equal(parameters[0].value[0], torch::ones({4})));
  EXPECT_LT(parameters[0].value[1].max().item<float>(), 1);
}

TEST(AdafactorStateTest, NumbersOfAdam_Refused) {
  const Parameters parameters = {{"p", values({2, 2}, 0).requires_grad_(true)}};
  torch::Tensor(parameters[0].value).mutable_grad() = values({2, 2}, 1);
  EXPECT_THROW(make_optimizer(with({}), parameters)->step({.lr = 0.1, .weight_decay = 0.0, .beta1 = 0.9}),
               UserError);
}

}  // namespace
}  // namespace parity::reference
