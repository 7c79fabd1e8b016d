// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <torch/types.h>

/// Forward passes that give a row the same bits in any batch. The bits do not depend on the row's place, the
/// number of other rows, its memory address or the CPU's vector width. They record no graph.
///
/// A sum over c = 0 .. D-1 is added up in 32 bytes of lanes: 8 of float32, 4 of float64. Lane l adds the
/// terms c = l, l + lanes, l + 2 lanes, ... one after the other, and zeros beyond D. Then the upper half of
/// the lanes is added to the lower half until one lane remains. No product is fused with a sum.
///
/// Tensors are of float32, float64 or bfloat16, all arguments of one dtype, on the CPU. bfloat16 is widened
/// to float32 and rounded once, at the end.
namespace parity::reference::fixed_order {

/// Returns x W^T. \param x  [..., D] \param weight  [R, D] \return [..., R]
torch::Tensor linear(const torch::Tensor& x, const torch::Tensor& weight);

/// Returns (t0 + t1) + (t2 + t3) and so on, element by element; each sum rounds to the terms' dtype.
/// \param terms  of one shape; a power of two of them
torch::Tensor tree_sum(std::vector<torch::Tensor> terms);

/// Returns x W^T as the tree sum of products over equal pieces of c, each as of linear(). A rank that has
/// 1 / tp of the columns computes 1 / tp of the pieces, and so a branch of the same tree. The idea is that of
/// tree-based invariant kernels (vLLM #50299).
/// \param pieces  a power of two that divides D
torch::Tensor linear_in_pieces(const torch::Tensor& x, const torch::Tensor& weight, int64_t pieces);

/// Returns x / sqrt(mean(x^2) + eps) weight. \param x  [..., D] \param weight  [D]
torch::Tensor rms_norm(const torch::Tensor& x, const torch::Tensor& weight, double eps);

/// Returns x / (1 + exp(-x)). Its bits are those of the C library's exp().
torch::Tensor silu(const torch::Tensor& x);

/// Returns a b, element by element. Each product and each sum rounds by itself: PyTorch fuses some of them,
/// depending on the place of the element.
///
/// \param a, b  complex64 or complex128; b is broadcast to the shape of a
torch::Tensor complex_product(const torch::Tensor& a, const torch::Tensor& b);

}  // namespace parity::reference::fixed_order
