// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/types.h>

#include "reference/model/parameter.hpp"

namespace parity::reference {

/// Returns the L2 norm of all gradients together, a scalar: the norm of the per-tensor norms, in model order,
/// in the gradients' dtype. It has the bits of torch.nn.utils.get_total_norm.
torch::Tensor gradient_norm(const Parameters& parameters);

/// Multiplies every gradient by min(1, max_norm / (norm + 1e-6)), also if the factor is 1.
/// The result has the bits of torch.nn.utils.clip_grads_with_norm_. Source: NUMERICS.md 5.
void clip_gradients(const Parameters& parameters, const torch::Tensor& norm, double max_norm);

}  // namespace parity::reference
