// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/checks/non_finite.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "reference/model/decoder/decoder.hpp"
#include "reference/parallel/pipeline/pipeline.hpp"

namespace parity::reference {
namespace {

bool all_finite(const torch::Tensor& x) {
  return at::isfinite(x).all().item<bool>();
}

/// Looks through tensors. Each has a place in the order of the whole model, the same on every rank.
class FirstBad {
 public:
  void look(int64_t place, const std::string& name, const torch::Tensor& value) {
    if (place >= first_ || all_finite(value))
      return;
    first_ = place;
    name_ = name;
  }
  std::string on_any_rank(const Group& world) const {
    const torch::Tensor first = torch::full({1}, first_, torch::kInt64);
    world.all_reduce(first, Reduction::min);
    if (first.item<int64_t>() == none)
      return "";
    // Ranks that do not hold the tensor do not know its name.
    const torch::Tensor letters = torch::zeros({longest_name}, torch::kInt64);
    if (first.item<int64_t>() == first_)
      for (size_t i = 0; i < std::min(name_.size(), static_cast<size_t>(longest_name)); ++i)
        letters.mutable_data_ptr<int64_t>()[i] = static_cast<unsigned char>(name_[i]);
    world.all_reduce(letters, Reduction::max);
    std::string name;
    for (int64_t i = 0; i < longest_name && letters.const_data_ptr<int64_t>()[i] != 0; ++i)
      name.push_back(static_cast<char>(letters.const_data_ptr<int64_t>()[i]));
    return name;
  }

 private:
  static constexpr int64_t none = std::numeric_limits<int64_t>::max();
  static constexpr int64_t longest_name = 256;
  int64_t first_ = none;
  std::string name_;
};

/// \param parameters  of those of `model`, in its order
template <class ValueOf>
std::string first_bad(const Parameters& parameters, const Parameters& model, const Group& world,
                      const ValueOf& value_of) {
  FirstBad first;
  int64_t place = 0;
  for (const Parameter& parameter : parameters) {
    while (model.at(static_cast<size_t>(place)).name != parameter.name)
      ++place;
    first.look(place, parameter.name, value_of(parameter));
  }
  return first.on_any_rank(world);
}

/// Returns the number as text, without the sign that the C library prints before a NaN.
std::string text_of(double value) {
  if (std::isnan(value))
    return "nan";
  return value > 0 ? "infinite" : "minus infinity";
}

std::string describe(trace::Phase phase, const std::string& tensor) {
  switch (phase) {
    case trace::Phase::param:
      return "parameter " + tensor;
    case trace::Phase::forward:
      return "result of " + tensor;
    default:
      return "gradient of " + tensor;
  }
}

std::string message_of(int64_t step, const std::string& what, double value, trace::Phase phase,
                       const std::string& tensor) {
  const std::string place = tensor.empty()
                                ? "every tensor is finite, the number itself overflowed"
                                : "the first tensor that is not finite is the " + describe(phase, tensor);
  return "update " + std::to_string(step) + ": " + what + " is " + text_of(value) + " (" + place +
         "); lower lr.base, lengthen the warmup, or inspect the previous update";
}

}  // namespace

NonFinite::NonFinite(int64_t step, const std::string& what, double value, trace::Phase phase,
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

std::string first_non_finite_value(const Parameters& parameters, const Parameters& model,
                                   const Group& world) {
  return first_bad(parameters, model, world, [](const Parameter& parameter) { return parameter.value; });
}

std::string first_non_finite_gradient(const Parameters& parameters, const Parameters& model,
                                      const Group& world) {
  return first_bad(parameters, model, world,
                   [](const Parameter& parameter) { return parameter.value.grad(); });
}

std::string first_non_finite_activation(const Decoder& model, const ModelInput& input, const Group& world) {
  const torch::NoGradGuard no_grad;
  FirstBad first;
  int64_t place = 0;
  model.forward(
      input, [&](const std::string& name, const torch::Tensor& value) { first.look(place++, name, value); });
  return first.on_any_rank(world);
}

std::string first_non_finite_activation(const Pipeline& pipeline, const ModelInput& piece,
                                        const Group& world) {
  constexpr int64_t most_results = 1 << 20;  // of a stage
  FirstBad first;
  int64_t passed = 0;
  pipeline.probe(piece, [&](int64_t stage, const std::string& name, const torch::Tensor& value) {
    first.look(stage * most_results + passed++, name, value);
  });
  return first.on_any_rank(world);
}

}  // namespace parity::reference
