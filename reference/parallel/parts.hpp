// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <torch/types.h>

#include "harness/tensor/placement.hpp"
#include "reference/comm/group.hpp"

namespace parity::reference {

/// Part `part` of `count` indices cut into `parts` parts of ceil(count / parts): the last ones are shorter,
/// or empty, where it does not divide. The one way in which this trainer cuts a dimension over ranks, and the
/// one of PyTorch's Shard.
IndexRange part_of(int64_t count, int64_t parts, int64_t part);

/// x narrowed to this rank's part of a dimension; shares x's memory.
torch::Tensor own_part(const torch::Tensor& x, int64_t dim, const Group& group);

/// The ranks' parts of a dimension joined; the same on every rank. Parts are padded to equal length with
/// zeros on their way, since an all-gather takes equal ones.
/// \param x      [..., own part of `count`, ...] any dtype
/// \param count  length of the dimension over all ranks
/// \return [..., count, ...] contiguous
torch::Tensor gather_parts(const torch::Tensor& x, int64_t dim, int64_t count, const Group& group);

/// This rank's part of a dimension of the ranks' sum.
/// \param x  [..., count, ...], the same shape on every rank
/// \return [..., own part of count, ...] contiguous
/// Determinism: over 2 ranks the bits of an all-reduce; over more, Gloo's order of summation decides.
torch::Tensor reduce_scatter_parts(const torch::Tensor& x, int64_t dim, const Group& group);

}  // namespace parity::reference
