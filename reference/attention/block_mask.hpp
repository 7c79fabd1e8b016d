// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <ATen/core/ivalue.h>
#include <torch/types.h>

#include "reference/attention/masks/mask.hpp"

namespace parity::reference {

/// The indices begin .. begin + count - 1: of keys in the sequence, or of queries among the given queries.
struct Range {
  int64_t begin = 0;
  int64_t count = 0;

  bool operator==(const Range&) const = default;
};

/// The keys that one block of queries attends to.
struct QueryBlock {
  Range queries;
  std::vector<Range> keys;     ///< neighbouring blocks joined; empty blocks left out
  int64_t key_count = 0;       ///< over all ranges
  torch::Tensor forbidden_QK;  ///< [queries, key_count] bool; undefined where every pair is allowed
};

/// Evaluates a predicate in blocks of 128 x 128: which blocks are empty, which are full, and the pairs of the
/// other ones. An intrusive pointer holds it, so that a graph can keep it for backward.
class BlockMask : public torch::CustomClassHolder {
 public:
  static constexpr int64_t block_size = 128;

  /// \param queries  positions of the queries; empty = every position
  explicit BlockMask(const Mask& mask, const std::vector<int64_t>& queries = {});
  /// Cuts some rows from another mask. Their empty blocks are not counted again.
  BlockMask(const BlockMask& whole, int64_t first, int64_t count);
  /// Copies a mask, with its pairs on `device`.
  BlockMask(const BlockMask& other, torch::Device device);

  const std::vector<QueryBlock>& row(int64_t b) const {
    return rows_[rows_.size() == 1 ? 0 : static_cast<size_t>(b)];
  }
  int64_t empty_blocks() const { return empty_blocks_; }

 private:
  QueryBlock query_block(const Mask& mask, int64_t b, Range queries, const std::vector<int64_t>& positions);

  std::vector<std::vector<QueryBlock>> rows_;  ///< one for all rows if no row differs
  int64_t empty_blocks_ = 0;
};

}  // namespace parity::reference
