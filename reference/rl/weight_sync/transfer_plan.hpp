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

// What has to move so that every rank has what it serves: pure index arithmetic, the same on every rank.
//
// Each dimension of a logical tensor is cut wherever a part of any rank begins or ends. In the blocks between
// the cuts everybody has all or nothing. A block goes to each rank that needs it from one that holds it: from
// itself if it does, else from the holder that has the least to give so far.

/// A block of a logical tensor: indices of each dimension.
using Box = std::vector<IndexRange>;

int64_t elements_in(const Box& box);

/// Where a block lies within a part: the same block by the part's own indices.
/// \return nothing if the part does not hold it, or not side by side
std::optional<Box> place_in(const PartCover& part, const Box& box);

/// A logical tensor, and what each rank has to do with it.
struct SpreadTensor {
  std::string name;
  Shape shape;
  DType trained_dtype = DType::float32;
  DType moved_dtype = DType::float32;                 ///< and served
  std::vector<std::optional<PartCover>> held = {};    ///< by each rank that trains it; none = it does not
  std::vector<std::optional<PartCover>> needed = {};  ///< by each rank that serves it
};

/// A block on its way from one rank to one rank, which may be the same.
struct Piece {
  size_t tensor = 0;  ///< index
  int64_t from = 0, to = 0;
  Box box;
};

/// \param most_bytes  of a piece, in the dtype that moves; larger blocks are split
/// \return tensor by tensor
/// \throws UserError if nobody holds what somebody needs
std::vector<Piece> plan_pieces(const std::vector<SpreadTensor>& tensors, int64_t most_bytes);

/// Holds a plan against what it is for, whatever made it: each element that `rank` needs comes once, from
/// who holds it, and nothing else comes.
/// \throws InternalError
void check_pieces(const std::vector<SpreadTensor>& tensors, const std::vector<Piece>& pieces, int64_t rank);

/// Consecutive pieces that move together, of one dtype.
struct Bucket {
  std::vector<Piece> pieces;
  bool moves = false;  ///< from a rank to another

  DType dtype(const std::vector<SpreadTensor>& tensors) const {
    return tensors[pieces.front().tensor].moved_dtype;
  }
};

/// \param most_bytes  that a rank gives, and that it gets, in a bucket; at least a piece
std::vector<Bucket> fill_buckets(const std::vector<SpreadTensor>& tensors, const std::vector<Piece>& pieces,
                                 int64_t most_bytes);

}  // namespace parity::reference
