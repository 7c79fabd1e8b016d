// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/parallel/data/all_reduce_gradients.hpp"

#include <fmt/format.h>

namespace parity::reference {
namespace {

/// Returns "layers.3" for "layers.3.attention.wq.weight".
std::string buffer_name(const std::string& parameter) {
  const std::string block = "layers.";
  if (parameter.starts_with(block))
    return parameter.substr(0, parameter.find('.', block.size()));
  const std::string part = parameter.substr(0, parameter.find('.'));
  return part == "norm" || part == "output" ? "norm+output" : part;
}

}  // namespace

std::string GradientBuffer::text() const {
  std::string places;
  int64_t elements = 0;
  for (const Parameter& parameter : parameters) {
    places += fmt::format("{} {} at {}", places.empty() ? "" : ",", parameter.name, elements);
    elements += parameter.value.numel();
  }
  return fmt::format("{}: 1 x {} elements:{}", name, elements, places);
}

std::vector<GradientBuffer> flat_buffers(const Parameters& parameters) {
  std::vector<GradientBuffer> buffers;
  for (const Parameter& parameter : parameters) {
    if (const std::string name = buffer_name(parameter.name); buffers.empty() || buffers.back().name != name)
      buffers.push_back({name, {}});
    buffers.back().parameters.push_back(parameter);
  }
  return buffers;
}

std::vector<GradientBuffer> single_buffers(const Parameters& parameters) {
  std::vector<GradientBuffer> buffers;
  for (const Parameter& parameter : parameters)
    buffers.push_back({parameter.name, {parameter}});
  return buffers;
}

void all_reduce_gradients(const GradientBuffer& buffer, const Group& replicas) {
  if (replicas.size() == 1)
    return;
  std::vector<torch::Tensor> gradients;
  for (const Parameter& parameter : buffer.parameters) {
    torch::Tensor value = parameter.value;
    if (!value.grad().defined())
      value.mutable_grad() = torch::zeros_like(value.detach());
    gradients.push_back(value.grad());
  }
  if (gradients.size() == 1)
    return replicas.all_reduce(gradients.front());
  std::vector<torch::Tensor> flat;
  for (const torch::Tensor& gradient : gradients)
    flat.push_back(gradient.reshape({-1}));
  const torch::Tensor all = torch::cat(flat);
  replicas.all_reduce(all);
  int64_t first = 0;
  for (const torch::Tensor& gradient : gradients) {
    gradient.copy_(all.narrow(0, first, gradient.numel()).view(gradient.sizes()));
    first += gradient.numel();
  }
}

}  // namespace parity::reference
