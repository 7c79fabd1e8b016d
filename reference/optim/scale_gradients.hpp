// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/types.h>

#include "reference/model/parameter.hpp"

namespace parity::reference {

/// Multiplies every gradient by a scalar tensor, in place. Bits of torchtune's gradient scaling
/// (torch._foreach_mul_ with a tensor). Source: NUMERICS.md 3.2.
void scale_gradients(const Parameters& parameters, const torch::Tensor& factor);

}  // namespace parity::reference
