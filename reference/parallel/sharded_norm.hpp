// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/types.h>

#include "harness/tensor/placement.hpp"
#include "reference/comm/group.hpp"
#include "reference/model/parameter.hpp"

namespace parity::reference {

/// Whether ranks hold different parts of the tensor.
bool is_sharded(const TensorLayout& layout);
bool is_sharded(const Parameters& parameters);

/// Whether this rank is the first of those that hold the same part: the one whose part is counted.
bool counts(const TensorLayout& layout);

/// Sums over the ranks what is additive over the parts of a tensor, replicas counted once.
///
/// \param parameters  P of them, the same on every rank, of which each holds its parts
/// \param of_parts    [P] float32 or float64: of this rank's part of each parameter
/// \param world       all ranks that hold parts of them
/// \return [P]: of each whole parameter; `of_parts` itself where nothing is sharded, without a collective
/// Determinism: the same bits on every rank.
torch::Tensor sum_over_parts(const Parameters& parameters, const torch::Tensor& of_parts, const Group& world);

/// L2 norm of all gradients together, of which each rank holds its parts: the norm of the per-tensor norms,
/// in model order, in the gradients' dtype.
///
///   norm_i = sqrt(sum over parts of norm(part)^2) for a sharded tensor, norm(tensor) for another
///
/// Where nothing is sharded it is gradient_norm (optim/clip.hpp), without a collective. A norm over parts
/// rounds otherwise than one over the whole: by 5e-5 in float32 where tensors are large.
/// \param world          all ranks that hold parts of these parameters
/// \param experts_apart  under expert parallelism: sqrt(norm of the experts^2 + norm of the others^2)
/// \return scalar, the same bits on every rank
/// Source: NUMERICS.md 5 and 10.8; torch's DTensor does the same with its _NormPartial; torchtitan's
/// _clip_grad_norm_with_ep.
torch::Tensor sharded_gradient_norm(const Parameters& parameters, const Group& world,
                                    bool experts_apart = false);

/// L2 norm over all stages of a pipeline, from that of each: sqrt(sum over stages of norm^2).
///
/// \param norm    scalar, of this rank's stages; `norm` itself where the group has one rank
/// \param stages  ranks along pp
/// \return scalar in the norm's dtype, the same bits on every rank. It rounds otherwise than the norm of all
/// per-tensor norms.
/// Source: NUMERICS.md 5; torchtitan's clip_grad_norm_.
torch::Tensor norm_over_stages(const torch::Tensor& norm, const Group& stages);

}  // namespace parity::reference
