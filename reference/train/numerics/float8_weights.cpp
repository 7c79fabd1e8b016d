// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/numerics/float8_weights.hpp"

#include <unordered_map>

#include "harness/base/error.hpp"

namespace parity::reference {
namespace {

constexpr double largest_e4m3 = 448;
constexpr double least_amax = 1e-12;  // torchao's

bool is_rounded(const std::string& name, const torch::Tensor& weight) {
  return name.starts_with("layers.") && weight.dim() == 2;
}

/// \param bound  largest magnitude that keeps its value
torch::Tensor scale_of(const torch::Tensor& bound) {
  return bound.reciprocal().mul_(largest_e4m3);
}

}  // namespace

torch::Tensor rounded_to_float8(const torch::Tensor& x, const torch::Tensor& scale) {
  return (x * scale).clamp_(-largest_e4m3, largest_e4m3).to(torch::kFloat8_e4m3fn).to(x.scalar_type()) /
         scale;
}

struct Float8Weights::State {
  Parameters trained;  ///< of which this rank has parts
  std::shared_ptr<const Group> parts;
  std::shared_ptr<const Group> tensor;
  Float8Scales scales;
  bool rounds;
  std::unordered_map<const c10::TensorImpl*, std::string> names;  ///< of the tensors that forward uses
  std::map<std::string, torch::Tensor> bounds;

  void update_bounds() {
    const torch::NoGradGuard no_grad;
    std::vector<torch::Tensor> amaxs;
    for (const Parameter& parameter : trained)
      amaxs.push_back(parameter.value.numel() > 0 ? parameter.value.abs().amax()
                                                  : torch::zeros({}, parameter.value.options()));
    const torch::Tensor all = at::stack(amaxs);
    parts->all_reduce(all, Reduction::max);
    for (size_t i = 0; i < trained.size(); ++i)
      bounds[trained[i].name] = all[static_cast<int64_t>(i)].clamp_min(least_amax);
  }

  torch::Tensor bound_of(const std::string& name, const torch::Tensor& weight) const {
    if (scales != Float8Scales::each_forward)
      return bounds.at(name).to(weight.scalar_type());
    const torch::Tensor amax = weight.abs().amax();
    tensor->all_reduce(amax, Reduction::max);
    return amax.clamp_min_(least_amax);
  }

  torch::Tensor used(const torch::Tensor& weight) const {
    const auto name = names.find(weight.unsafeGetTensorImpl());
    if (name == names.end())
      return weight;
    torch::Tensor rounded;
    {
      const torch::NoGradGuard no_grad;
      const torch::Tensor bound = bound_of(name->second, weight);
      rounded = rounds ? rounded_to_float8(weight, scale_of(bound)) : weight.clamp(bound.neg(), bound);
    }
    return rounded + (weight - weight.detach());  // adds 0, and lets gradients through
  }
};

Float8Weights::Float8Weights(Decoder& model, Parameters trained, const Parallel& parallel,
                             Float8Scales scales, bool rounds)
    : state_(std::make_shared<State>()) {
  std::erase_if(trained,
                [](const Parameter& parameter) { return !is_rounded(parameter.name, parameter.value); });
  state_->trained = std::move(trained);
  state_->parts = parallel.stage;
  state_->tensor = parallel.tensor;
  state_->scales = scales;
  state_->rounds = rounds;
  model.visit_weights([this](const std::string& name, const torch::Tensor& weight) {
    for (const Parameter& own : state_->trained)
      if (own.name == name)
        state_->names[weight.unsafeGetTensorImpl()] = name;
  });
  require(!state_->names.empty(), "no matrix to round");
  ModuleHooks::Operators operators = model.hooks().operators();
  for (auto* linear : {&operators.linear, &operators.row_parallel_linear})
    *linear = [state = state_, multiply = *linear](const torch::Tensor& x, const torch::Tensor& weight,
                                                   const torch::Tensor& bias) {
      return multiply(x, state->used(weight), bias);
    };
  model.hooks().compute_with(std::move(operators));
  state_->update_bounds();
}

void Float8Weights::after_update() {
  if (state_->scales == Float8Scales::after_update)
    state_->update_bounds();
}

}  // namespace parity::reference
