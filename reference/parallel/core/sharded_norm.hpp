// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/types.h>

#include "harness/tensor/placement.hpp"
#include "reference/comm/group.hpp"
#include "reference/model/parameter.hpp"

namespace parity::reference {

/// Returns whether ranks hold different shards of the tensor, or of some parameter.
bool is_sharded(const TensorLayout& layout);
bool is_sharded(const Parameters& parameters);

/// Returns whether this rank is the first of those that hold the same shard. Sums count its shard only.
bool counts(const TensorLayout& layout);

/// Sums over the ranks a quantity that is additive over the shards of a tensor. Replicas count once.
///
/// \param parameters  P of them, the same on every rank
/// \param of_parts    [P] float32 or float64: the quantity of this rank's shard of each parameter
/// \param world       all ranks that hold shards of them
/// \return [P]: the quantity of each whole parameter. If nothing is sharded, `of_parts` without a collective
/// Determinism: the same bits on every rank.
torch::Tensor sum_over_parts(const Parameters& parameters, const torch::Tensor& of_parts, const Group& world);

/// Returns the L2 norm of all gradients together; each rank holds its shards of them. It is the norm of the
/// per-tensor norms, in model order, in the gradients' dtype.
///
///   norm_i = sqrt(sum over shards of norm(shard)^2) for a sharded tensor, norm(tensor) otherwise
///
/// If nothing is sharded it is gradient_norm (optim/clip.hpp), without a collective. A norm over shards
/// rounds differently from one over the whole tensor: by 5e-5 in float32 for large tensors.
/// \param world          all ranks that hold shards of these parameters
/// \param experts_apart  under expert parallelism: sqrt(norm of the experts^2 + norm of the others^2)
/// \return scalar, the same bits on every rank
/// Source: NUMERICS.md 5 and 10.8; torch's DTensor does the same with its _NormPartial; torchtitan's
/// _clip_grad_norm_with_ep.
torch::Tensor sharded_gradient_norm(const Parameters& parameters, const Group& world,
                                    bool experts_apart = false);

/// Returns the L2 norm over all stages of a pipeline: sqrt(sum over stages of norm^2).
///
/// \param norm    scalar, of this rank's stages
/// \param stages  ranks along pp
/// \return scalar in the dtype of `norm`, the same bits on every rank; `norm` itself if there is one rank. It
/// rounds differently from the norm of all per-tensor norms.
/// Source: NUMERICS.md 5; torchtitan's clip_grad_norm_.
torch::Tensor norm_over_stages(const torch::Tensor& norm, const Group& stages);

}  // namespace parity::reference
