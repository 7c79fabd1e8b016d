// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Weights whose rows two models keep in different orders, and the order in which exact twins compare them:
// wq, wk and wv apart, with rows as complex RoPE takes them.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <torch/types.h>

#include "reference/config/model_names.hpp"

namespace parity::reference {

/// Tensors by name, in order.
using NamedTensors = std::vector<std::pair<std::string, torch::Tensor>>;

/// Returns whether a model keeps the rows of a weight, or of what has its shape, in another order than the
/// common one. \param name  of the weight, maybe after a kind: "exp_avg/layers.0.attention.wq.weight"
bool has_own_order(const std::string& name, const ModelDimensions& dimensions);

/// Returns a whole tensor in the common order: itself, or three tensors for a fused one.
NamedTensors in_common_order(const std::string& name, const torch::Tensor& whole,
                             const ModelDimensions& dimensions);

/// Draws a tensor of the common order by its name and shape.
using DrawnTensor = std::function<torch::Tensor(const std::string& name, at::IntArrayRef shape)>;

/// Returns a drawn tensor in the model's own order: what in_common_order() makes the drawn ones of.
torch::Tensor in_own_order(const std::string& name, at::IntArrayRef shape, const ModelDimensions& dimensions,
                           const DrawnTensor& drawn);

}  // namespace parity::reference
