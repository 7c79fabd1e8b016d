// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <torch/types.h>

#include "reference/comm/group.hpp"

namespace parity::reference {

// Collectives that autograd can differentiate, on which every parallelism is built. Each is a linear map, and
// its backward is the transposed map. Every rank of a group builds the same graph, so it runs the same
// collectives in the same order, also in backward. A graph keeps its group alive. A group of one rank moves
// nothing.
//
// | function         | from  | to    | forward        | backward       |
// |------------------|-------|-------|----------------|----------------|
// | enter_ranks      | whole | own   | identity       | all-reduce     |
// | sum_over_ranks   | own   | whole | all-reduce     | identity       |
// | split            | whole | parts | own part       | all-gather     |
// | gather           | parts | whole | all-gather     | own part       |
// | gather_for_ranks | parts | own   | all-gather     | reduce-scatter |
// | reduce_scatter   | own   | parts | reduce-scatter | all-gather     |
//
// sum_over_ranks_as_tree and reduce_scatter_as_tree add neighbouring ranks first, then neighbouring pairs,
// and so on. Their bits depend neither on the number of elements nor on the backend. The number of ranks is a
// power of two.
//
// "Whole": every rank holds the same values, which count once. "Own": each rank has different values.
// "Parts": each rank has its part of a dimension (part_of in parts.hpp).
// \throws PeerLost from each, and from backward through it
// Source: NUMERICS.md 6.

using GroupPointer = std::shared_ptr<const Group>;

torch::Tensor enter_ranks(const torch::Tensor& x, const GroupPointer& group);
torch::Tensor sum_over_ranks(const torch::Tensor& x, const GroupPointer& group);
torch::Tensor split(const torch::Tensor& x, int64_t dim, const GroupPointer& group);
/// \param count  length of the dimension over all ranks, here and below
torch::Tensor gather(const torch::Tensor& x, int64_t dim, int64_t count, const GroupPointer& group);
torch::Tensor gather_for_ranks(const torch::Tensor& x, int64_t dim, int64_t count, const GroupPointer& group);
torch::Tensor reduce_scatter(const torch::Tensor& x, int64_t dim, const GroupPointer& group);
torch::Tensor sum_over_ranks_as_tree(const torch::Tensor& x, const GroupPointer& group);
torch::Tensor reduce_scatter_as_tree(const torch::Tensor& x, int64_t dim, const GroupPointer& group);

/// Sends rows to each rank in order, and returns the rows from each rank in order (Group::all_to_all).
/// Backward sends the gradients back. \throws as above
torch::Tensor exchange_rows(const torch::Tensor& x, const std::vector<int64_t>& send_rows,
                            const std::vector<int64_t>& receive_rows, const GroupPointer& group);

}  // namespace parity::reference
