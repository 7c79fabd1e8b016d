// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <torch/types.h>

#include "harness/tensor/placement.hpp"

namespace parity::reference {

/// A weight with its torchtitan name, for example "layers.0.attention.wq.weight". The tensor is the model's
/// own, or this rank's shard of it.
struct Parameter {
  std::string name;
  torch::Tensor value;
  TensorLayout layout = {};
  /// Mesh dimensions over whose ranks the gradient must be summed although they have the same tokens. Each
  /// rank's gradient is one term of that sum.
  std::vector<std::string> partial_gradient_over = {};
};

/// Returns whether a parameter, given by name, belongs to the routed experts. Under expert parallelism each
/// rank holds different ones.
inline bool is_expert(const std::string& parameter) {
  return parameter.find(".moe.experts.") != std::string::npos;
}

/// Returns whether a parameter, given by name, belongs to a low-rank adapter.
inline bool is_adapter(const std::string& parameter) {
  return parameter.find(".lora_") != std::string::npos;
}

/// Parameters in the order of the model, which is that of torchtitan's named_parameters().
using Parameters = std::vector<Parameter>;

/// Receives an intermediate result with its name, for example "layers.0.attention".
using Probe = std::function<void(const std::string& name, const torch::Tensor& value)>;

}  // namespace parity::reference
