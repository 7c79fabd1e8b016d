// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/optim/adafactor/adafactor.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "harness/base/error.hpp"
#include "reference/model/precision.hpp"
#include "reference/optim/decay_groups.hpp"

namespace parity::reference {
namespace {

std::vector<int64_t> shape_of(const Parameter& parameter) {
  return parameter.layout.global_shape.empty() ? parameter.value.sizes().vec()
                                               : parameter.layout.global_shape;
}

/// Returns a shape whose dimension `dim`, counted from the last as -1, has one element.
std::vector<int64_t> reduced(std::vector<int64_t> shape, size_t from_last) {
  shape[shape.size() - from_last] = 1;
  return shape;
}

/// Returns the square root of a count as Python's `**` gives it.
double root_of(int64_t count) {
  return std::pow(static_cast<double>(count), 0.5);
}

double norm_of(const torch::Tensor& value) {
  return at::linalg_vector_norm(value, 2).item<double>();
}

/// Returns the mean of the squares along a dimension, as the squared norm over its length.
torch::Tensor mean_square(const torch::Tensor& value, int64_t dim) {
  return at::linalg_vector_norm(value, 2, dim, /*keepdim=*/true).square_().div_(value.size(dim));
}

}  // namespace

int64_t adafactor_numbers(at::IntArrayRef shape) {
  if (shape.size() < 2)
    return c10::multiply_integers(shape);
  const int64_t matrices = c10::multiply_integers(shape.slice(0, shape.size() - 2));
  return matrices * (shape[shape.size() - 2] + shape[shape.size() - 1]);
}

Adafactor::Adafactor(const OptimizerConfig& config, Parameters parameters,
                     std::shared_ptr<const MatrixRanks> ranks)
    : config_(config.adafactor),
      decay_(config.decay),
      parameters_(std::move(parameters)),
      ranks_(std::move(ranks)) {
  for (const Parameter& parameter : parameters_)
    moments_.push_back(zero_moments(parameter));
}

Adafactor::Moments Adafactor::zero_moments(const Parameter& parameter) const {
  const torch::TensorOptions options = parameter.value.detach().options();
  const std::vector<int64_t> shape = shape_of(parameter);
  Moments moments;
  moments.step =
      torch::zeros({}, torch::dtype(at_least_float32(parameter.value.scalar_type())).device(torch::kCPU));
  if (shape.size() < 2) {
    moments.element = torch::zeros(shape, options);
    return moments;
  }
  moments.row = torch::zeros(reduced(shape, 1), options);
  moments.column = torch::zeros(reduced(shape, 2), options);
  return moments;
}

std::vector<double> Adafactor::sizes_of_parameters() const {
  std::vector<double> sizes(parameters_.size());
  if (!config_.scale_parameter)
    return sizes;
  ranks_->run({.count = static_cast<int64_t>(parameters_.size()),
               .shard = [&](int64_t i) { return parameters_[static_cast<size_t>(i)].value.detach(); },
               .function =
                   [&](int64_t i, const torch::Tensor& whole) {
                     sizes[static_cast<size_t>(i)] = norm_of(whole) / root_of(whole.numel());
                     return whole;
                   },
               .use = [](int64_t, const torch::Tensor&) {}});
  return sizes;
}

void Adafactor::follow(const Moments& moments, const torch::Tensor& gradient) const {
  const double share = std::pow(moments.step.item<double>(), config_.beta2_decay);
  const auto enter = [&](const torch::Tensor& moment, const torch::Tensor& square) {
    moment.lerp_(adds_eps1() ? square + config_.eps1 : square, share);
  };
  if (moments.element.defined()) {
    enter(moments.element, gradient * gradient);
    return;
  }
  enter(moments.row, mean_square(gradient, -1));
  enter(moments.column, mean_square(gradient, -2));
}

torch::Tensor Adafactor::inverse_root(const Moments& moments) const {
  if (adds_eps1() && moments.element.defined())
    return moments.element.rsqrt();
  const torch::Tensor mean =
      moments.element.defined() ? torch::Tensor() : moments.row.mean(-2, /*keepdim=*/true);
  if (adds_eps1())  // the product of small moments could vanish
    return at::matmul((moments.row / mean).rsqrt_(), moments.column.rsqrt());
  torch::Tensor v = moments.element.defined()
                        ? moments.element.clone()
                        : at::matmul(moments.row, moments.column).div_(mean.clamp_min(config_.eps1));
  return v.clamp_min_(config_.eps1 * config_.eps1).rsqrt_();
}

std::pair<torch::Tensor, double> Adafactor::direction(const Moments& moments,
                                                      const torch::Tensor& gradient) const {
  follow(moments, gradient);
  torch::Tensor update = inverse_root(moments).mul_(gradient);
  return {update, std::max(1.0, norm_of(update) / (root_of(update.numel()) * config_.d))};
}

void Adafactor::move(size_t i, const torch::Tensor& update, double size, double divisor,
                     const UpdateNumbers& numbers) const {
  const double t = moments_[i].step.item<double>(), lr = numbers.lr.value();
  const double weight_decay = numbers.weight_decay.value();
  const double rate = config_.relative_step ? std::min(lr, 1 / std::pow(t, 0.5)) : lr;
  const double step = config_.scale_parameter ? std::max(config_.eps2, size) * rate : rate;
  torch::Tensor value = parameters_[i].value;
  if (weight_decay != 0 && decays(decay_, parameters_[i]))
    value.mul_(1 - lr * weight_decay);
  value.add_(update, -step / divisor);
}

void Adafactor::step(const UpdateNumbers& numbers) {
  if (numbers.has_adam())
    throw UserError(
        "cannot update by Adafactor with beta1, beta2 or eps (it has none of them); leave them out");
  const torch::NoGradGuard no_grad;
  const std::vector<double> sizes = sizes_of_parameters();
  std::vector<double> divisors(parameters_.size());
  ranks_->run({.count = static_cast<int64_t>(parameters_.size()),
               .shard =
                   [&](int64_t i) {
                     const Parameter& parameter = parameters_[static_cast<size_t>(i)];
                     require(parameter.value.grad().defined(), "no gradient of " + parameter.name);
                     return parameter.value.grad();
                   },
               .function =
                   [&](int64_t index, const torch::Tensor& gradient) {
                     const auto i = static_cast<size_t>(index);
                     moments_[i].step.add_(1);
                     auto [update, divisor] = direction(moments_[i], gradient);
                     divisors[i] = divisor;
                     return update;
                   },
               .use =
                   [&](int64_t index, const torch::Tensor& update) {
                     const auto i = static_cast<size_t>(index);
                     move(i, update, sizes[i], divisors[i], numbers);
                   }});
}

std::vector<Optimizer::State> Adafactor::state() const {
  std::vector<State> result;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const std::string& name = parameters_[i].name;
    const Moments& moments = moments_[i];
    if (moments.element.defined())
      result.push_back({"variance/" + name, moments.element});
    else {
      result.push_back({"row_var/" + name, moments.row});
      result.push_back({"col_var/" + name, moments.column});
    }
    result.push_back({"step/" + name, moments.step});
  }
  return result;
}

}  // namespace parity::reference
