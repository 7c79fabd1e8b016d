// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/parallel/core/sharded_norm.hpp"

#include <algorithm>

#include "reference/optim/clip.hpp"
#include "reference/optim/optimizer.hpp"

namespace parity::reference {
namespace {

/// Returns [P] bool on `device`: whether the predicate holds for each parameter.
template <class Question>
torch::Tensor answers_for(const Parameters& parameters, torch::Device device, const Question& question) {
  torch::Tensor answers = torch::empty({static_cast<int64_t>(parameters.size())}, torch::kBool);
  for (size_t i = 0; i < parameters.size(); ++i)
    answers.mutable_data_ptr<bool>()[i] = question(parameters[i]);
  return answers.to(device);
}

}  // namespace

bool is_sharded(const TensorLayout& layout) {
  return std::any_of(layout.placements.begin(), layout.placements.end(), [](const Placement& placement) {
    return std::holds_alternative<Shard>(placement.kind) && placement.size > 1;
  });
}

bool is_sharded(const Parameters& parameters) {
  return std::any_of(parameters.begin(), parameters.end(),
                     [](const Parameter& parameter) { return is_sharded(parameter.layout); });
}

bool counts(const TensorLayout& layout) {
  return std::all_of(layout.placements.begin(), layout.placements.end(), [](const Placement& placement) {
    return !std::holds_alternative<Replicate>(placement.kind) || placement.coordinate == 0;
  });
}

torch::Tensor sum_over_parts(const Parameters& parameters, const torch::Tensor& of_parts,
                             const Group& world) {
  if (!is_sharded(parameters))
    return of_parts;
  const auto is_part = [](const Parameter& parameter) { return is_sharded(parameter.layout); };
  const auto is_first = [](const Parameter& parameter) { return counts(parameter.layout); };
  const torch::Tensor counted = answers_for(parameters, of_parts.device(), is_first);
  const torch::Tensor sums = at::where(counted, of_parts, at::zeros_like(of_parts)).contiguous();
  world.all_reduce(sums);
  return at::where(answers_for(parameters, of_parts.device(), is_part), sums, of_parts);
}

torch::Tensor sharded_gradient_norm(const Parameters& parameters, const Group& world, bool experts_apart) {
  if (!is_sharded(parameters))
    return gradient_norm(parameters);
  const torch::NoGradGuard no_grad;
  const torch::Tensor norms = at::stack(at::_foreach_norm(gradients_of(parameters)));
  const torch::Tensor whole = sum_over_parts(parameters, norms.square(), world).sqrt();
  const auto is_part = [](const Parameter& parameter) { return is_sharded(parameter.layout); };
  const torch::Tensor each = at::where(answers_for(parameters, norms.device(), is_part), whole, norms);
  if (!experts_apart)
    return at::linalg_vector_norm(each, 2);
  const torch::Tensor experts = answers_for(
      parameters, norms.device(), [](const Parameter& parameter) { return is_expert(parameter.name); });
  const torch::Tensor of_experts = at::linalg_vector_norm(each.masked_select(experts), 2);
  const torch::Tensor of_others = at::linalg_vector_norm(each.masked_select(experts.logical_not()), 2);
  return (of_experts.square() + of_others.square()).sqrt();
}

torch::Tensor norm_over_stages(const torch::Tensor& norm, const Group& stages) {
  if (stages.size() == 1)
    return norm;
  const torch::Tensor squares = norm.square();
  stages.all_reduce(squares);
  return squares.sqrt();
}

}  // namespace parity::reference
