// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <torch/types.h>

#include "harness/tensor/placement.hpp"
#include "reference/comm/group.hpp"

namespace parity::reference {

/// Returns part `part` of `count` indices that are split into `parts` parts of ceil(count / parts). The last
/// parts are shorter, or empty, if `parts` does not divide `count`. Every dimension is split over ranks like
/// this, as by PyTorch's Shard.
IndexRange part_of(int64_t count, int64_t parts, int64_t part);

/// Returns x narrowed to this rank's part of a dimension; it shares the memory of x.
torch::Tensor own_part(const torch::Tensor& x, int64_t dim, const Group& group);

/// Joins the ranks' parts of a dimension; the result is the same on every rank. An all-gather needs equal
/// lengths, so parts are padded with zeros while they travel.
/// \param x      [..., own part of `count`, ...] any dtype
/// \param count  length of the dimension over all ranks
/// \return [..., count, ...] contiguous
torch::Tensor gather_parts(const torch::Tensor& x, int64_t dim, int64_t count, const Group& group);

/// Sums x over the ranks and returns this rank's part of a dimension.
/// \param x  [..., count, ...], the same shape on every rank
/// \return [..., own part of count, ...] contiguous
/// Determinism: over 2 ranks the bits of an all-reduce; over more, Gloo's order of summation decides.
torch::Tensor reduce_scatter_parts(const torch::Tensor& x, int64_t dim, const Group& group);

}  // namespace parity::reference
