// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include <torch/types.h>

namespace parity::reference {

/// Formats of 8 and 4 bits. Source: OCP 8-bit Floating Point Specification; OCP Microscaling Formats
/// (MX) 1.0.
///
/// | format | exponent, mantissa bits | largest value |
/// |--------|-------------------------|---------------|
/// | e4m3   | 4, 3                    | 448           |
/// | e5m2   | 5, 2                    | 57344         |
/// | e2m1   | 2, 1                    | 6             |
enum class NarrowFormat { e4m3, e5m2, e2m1 };

/// Returns the largest finite value of a format.
double largest(NarrowFormat format);

/// Returns the nearest values of a format, ties to even; larger finite values become the largest one, and
/// what is not finite becomes NaN. \param x  float32. \return float32
torch::Tensor rounded_to(const torch::Tensor& x, NarrowFormat format);

/// How a block's scale s follows from its largest magnitude a. M is the format's largest value; values are
/// x' = s round(x / s).
///
/// - float32: 1 / r, r = float32(M / max(a, 1e-12)), x' = round(x r) / r. Source: torchao, dynamic scaling
/// - power_of_two: the same, r rounded down to a power of two. Source: torchao
/// - division: a / M; 1 if a is 0. Source: DeepSeek-V3, inference/kernel.py
/// - division_up: a / M rounded up to a power of two. Source: Transformer Engine, block scaling
/// - mx: 2^(floor(log2 a) - floor(log2 M)). Source: OCP MX 1.0, section 6.3
/// - mx_up: a / M rounded up to a power of two. Source: NVIDIA, MXFP8 of Blackwell
/// - nvfp4: e4m3(a / 6 / t) t, t = amax of the tensor / (6 448). Source: NVIDIA, arXiv:2509.25149
/// - unit: 1, a cast without a scale
///
/// Scales of mx and mx_up are at least 2^-127 (E8M0).
enum class ScaleRule { float32, power_of_two, division, division_up, mx, mx_up, nvfp4, unit };

/// Replaces magnitudes by the largest of those ranks that have shards of one matrix, in place. All of these
/// ranks call it, in the same order and with the same shape.
using MaxOverRanks = std::function<void(const torch::Tensor& amax)>;

/// What is quantised together.
struct Quantisation {
  NarrowFormat format = NarrowFormat::e4m3;
  ScaleRule rule = ScaleRule::float32;
  int64_t rows = 0;             ///< of a block; 0 = all
  int64_t columns = 0;          ///< of a block; 0 = all
  bool rounds = true;           ///< false = a twin's, where scales divide out
  MaxOverRanks block_max = {};  ///< where ranks have shards of each block; empty = whole blocks
  MaxOverRanks matrix_max =
      {};  ///< where ranks have shards of the matrix, for nvfp4; empty = the whole matrix
};

/// Returns the values that the quantised matrix has, block by block. The last blocks of a dimension may be
/// smaller. A block with a value that is not finite is not finite. A twin rounds nothing: it cuts and scales
/// the same blocks by powers of two, and returns x. To an exact twin scales are constants.
///
/// Shards of a matrix have the values of the whole one: block_max and matrix_max see the magnitudes that
/// reach over ranks. A matrix without elements asks no other rank, so it is empty on all of them.
/// \param x  [R, C] float32, or a twin's float64. \return the same dtype and shape
torch::Tensor quantised(const torch::Tensor& x, const Quantisation& how);

}  // namespace parity::reference
