// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/tensor/dtype.hpp"
#include "harness/tensor/part.hpp"
#include "harness/tensor/placement.hpp"

namespace parity::reference {

// Plans which blocks move so that every rank gets what it serves. The plan is pure index arithmetic, the same
// on every rank.
//
// Each dimension of a logical tensor is cut wherever a shard of any rank begins or ends. Each rank then holds
// all or nothing of a block between the cuts. Each rank that needs a block gets it from a rank that holds it:
// from itself if it does, else from the holder that sends the least so far.

/// A block of a logical tensor: an index range for each dimension.
using Box = std::vector<IndexRange>;

int64_t elements_in(const Box& box);

/// Returns a block's place within a shard: the same block in the shard's own indices.
/// \return nothing if the shard does not hold the block, or not contiguously
std::optional<Box> place_in(const PartCover& part, const Box& box);

/// A logical tensor, and the shards of it that each rank holds and needs.
struct SpreadTensor {
  std::string name;
  Shape shape;
  DType trained_dtype = DType::float32;
  DType moved_dtype = DType::float32;                 ///< and served
  std::vector<std::optional<PartCover>> held = {};    ///< by each rank that trains it; none = it does not
  std::vector<std::optional<PartCover>> needed = {};  ///< by each rank that serves it
};

/// A block that moves from one rank to another, or to the same rank.
struct Piece {
  size_t tensor = 0;  ///< index
  int64_t from = 0, to = 0;
  Box box;
};

/// Returns the pieces to move, tensor by tensor.
/// \param most_bytes  of a piece, in the transfer dtype; larger blocks are split
/// \throws UserError if a rank needs an element that no rank holds
std::vector<Piece> plan_pieces(const std::vector<SpreadTensor>& tensors, int64_t most_bytes);

/// Verifies a plan independently of its planner: `rank` gets each element that it needs once, from a rank
/// that holds it, and gets nothing else.
/// \throws InternalError
void check_pieces(const std::vector<SpreadTensor>& tensors, const std::vector<Piece>& pieces, int64_t rank);

/// Consecutive pieces that move together, of one dtype.
struct Bucket {
  std::vector<Piece> pieces;
  bool moves = false;  ///< false: each piece stays on its rank

  DType dtype(const std::vector<SpreadTensor>& tensors) const {
    return tensors[pieces.front().tensor].moved_dtype;
  }
};

/// Returns the pieces in buckets.
/// \param most_bytes  that a rank sends, and that it receives, in one bucket; at least one piece
std::vector<Bucket> fill_buckets(const std::vector<SpreadTensor>& tensors, const std::vector<Piece>& pieces,
                                 int64_t most_bytes);

}  // namespace parity::reference
