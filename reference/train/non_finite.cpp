// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/non_finite.hpp"

#include <cmath>

#include "reference/model/llama3/llama3.hpp"

namespace parity::reference {
namespace {

bool all_finite(const torch::Tensor& x) {
  return at::isfinite(x).all().item<bool>();
}

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

std::string first_non_finite_value(const Parameters& parameters) {
  for (const Parameter& parameter : parameters)
    if (!all_finite(parameter.value))
      return parameter.name;
  return {};
}

std::string first_non_finite_gradient(const Parameters& parameters) {
  for (const Parameter& parameter : parameters)
    if (!all_finite(parameter.value.grad()))
      return parameter.name;
  return {};
}

std::string first_non_finite_activation(const Llama3& model, const ModelInput& input) {
  const torch::NoGradGuard no_grad;
  std::string first;
  model.forward(input, [&first](const std::string& name, const torch::Tensor& value) {
    if (first.empty() && !all_finite(value))
      first = name;
  });
  return first;
}

}  // namespace parity::reference
