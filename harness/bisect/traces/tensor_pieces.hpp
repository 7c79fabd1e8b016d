// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/tensor/tensor_view.hpp"

namespace parity::bisect {

/// The pieces of one logical tensor without their placements: by rank, and by micro-batch of the rank.
using TensorPieces = std::vector<std::vector<TensorView>>;

/// Returns whether the pieces of two sides are the same logical tensor, joined in some way.
///
/// Pieces may be the same, may follow each other along a dimension, may be cut as context parallelism cuts
/// sequences (rank r of n has the parts r and 2 n - 1 - r), or may be terms of a sum: micro-batches
/// in one way, then ranks in one way or neighbouring ranks in one and their groups in another. Two tensors
/// agree if the norm of their difference is at most `rounding` times that of the first. NaN agrees with
/// nothing.
/// \param prime  for residues, which agree only if they are equal, and add modulo this prime
/// \return nothing if a side has no piece, or a tensor has more than 2^22 elements
std::optional<bool> pieces_agree(const TensorPieces& expected, const TensorPieces& actual, double rounding,
                                 uint64_t prime = 0);

}  // namespace parity::bisect
