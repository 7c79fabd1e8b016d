// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <torch/types.h>

#include "harness/tensor/placement.hpp"

namespace parity::reference {

/// A weight under its torchtitan name, for example "layers.0.attention.wq.weight". The tensor is the model's
/// own, or this rank's part of it.
struct Parameter {
  std::string name;
  torch::Tensor value;
  TensorLayout layout = {};
  /// Mesh dimensions over whose ranks its gradient is a term of a sum until it is reduced, though they have
  /// the same tokens.
  std::vector<std::string> partial_gradient_over = {};
};

/// Returns whether a parameter, given by name, belongs to the routed experts. Under expert parallelism each
/// rank holds different ones.
inline bool is_expert(const std::string& parameter) {
  return parameter.find(".moe.experts.") != std::string::npos;
}

/// In the order of the model: that of torchtitan's named_parameters().
using Parameters = std::vector<Parameter>;

/// Takes an intermediate result under a name, for example "layers.0.attention".
using Probe = std::function<void(const std::string& name, const torch::Tensor& value)>;

}  // namespace parity::reference
