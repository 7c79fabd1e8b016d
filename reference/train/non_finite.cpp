// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/non_finite.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "reference/model/llama3/llama3.hpp"

namespace parity::reference {
namespace {

bool all_finite(const torch::Tensor& x) {
  return at::isfinite(x).all().item<bool>();
}

/// Looks through tensors that every rank has in the same order.
class FirstBad {
 public:
  void look(const std::string& name, const torch::Tensor& value) {
    if (first_ == none && !all_finite(value))
      first_ = static_cast<int64_t>(names_.size());
    names_.push_back(name);
  }
  std::string on_any_rank(const Group& world) const {
    const torch::Tensor first = torch::full({1}, first_, torch::kInt64);
    world.all_reduce(first, Reduction::min);
    const auto index = first.item<int64_t>();
    return index == none ? "" : names_.at(static_cast<size_t>(index));
  }

 private:
  static constexpr int64_t none = std::numeric_limits<int64_t>::max();
  std::vector<std::string> names_;
  int64_t first_ = none;
};

/// Without the sign that the C library prints before a NaN.
std::string text_of(double value) {
  if (std::isnan(value))
    return "nan";
  return value > 0 ? "infinite" : "minus infinity";
}

std::string describe(Phase phase, const std::string& tensor) {
  switch (phase) {
    case Phase::param:
      return "parameter " + tensor;
    case Phase::forward:
      return "result of " + tensor;
    default:
      return "gradient of " + tensor;
  }
}

std::string message_of(int64_t step, const std::string& what, double value, Phase phase,
                       const std::string& tensor) {
  const std::string place = tensor.empty()
                                ? "every tensor is finite, the number itself overflowed"
                                : "the first tensor that is not finite is the " + describe(phase, tensor);
  return "update " + std::to_string(step) + ": " + what + " is " + text_of(value) + " (" + place +
         "); lower lr.base, lengthen the warmup, or look at the update before";
}

}  // namespace

NonFinite::NonFinite(int64_t step, const std::string& what, double value, Phase phase,
                     const std::string& tensor)
    : UserError(message_of(step, what, value, phase, tensor), ExitCode::crashed),
      step_(step),
      phase_(phase),
      tensor_(tensor) {}

Json NonFinite::to_json() const {
  return {{"kind", "non_finite"},
          {"step", step_},
          {"phase", std::string(name_of(phase_))},
          {"tensor", tensor_},
          {"message", what()}};
}

double worst_of_ranks(double value, const Group& world) {
  if (world.size() == 1)
    return value;
  const torch::Tensor sum = torch::full({1}, value, torch::kFloat64);
  world.all_reduce(sum);
  const auto total = sum.item<double>();
  return std::isfinite(total) || !std::isfinite(value) ? value : total;
}

std::string first_non_finite_value(const Parameters& parameters, const Group& world) {
  FirstBad first;
  for (const Parameter& parameter : parameters)
    first.look(parameter.name, parameter.value);
  return first.on_any_rank(world);
}

std::string first_non_finite_gradient(const Parameters& parameters, const Group& world) {
  FirstBad first;
  for (const Parameter& parameter : parameters)
    first.look(parameter.name, parameter.value.grad());
  return first.on_any_rank(world);
}

std::string first_non_finite_activation(const Llama3& model, const ModelInput& input, const Group& world) {
  const torch::NoGradGuard no_grad;
  FirstBad first;
  model.forward(input,
                [&first](const std::string& name, const torch::Tensor& value) { first.look(name, value); });
  return first.on_any_rank(world);
}

}  // namespace parity::reference
