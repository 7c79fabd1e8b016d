// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/types.h>

namespace parity::reference {

/// Fills a tensor with normal numbers cut to [low, high]. It uses the operations of PyTorch's
/// nn.init.trunc_normal_ in their order, so that the same generator state gives the same bits:
///
///   x = uniform(2 Phi((low - mean) / std) - 1, 2 Phi((high - mean) / std) - 1)
///   x = clamp(erfinv(x) std sqrt(2) + mean, low, high)
///
/// The bounds are absolute, not multiples of std: 0.02 with the default bounds is never cut.
/// \param x  float32 on the CPU; draws from the default generator
/// Source: NUMERICS.md 4.1.
void trunc_normal_(torch::Tensor& x, double mean, double std, double low = -2, double high = 2);

}  // namespace parity::reference
