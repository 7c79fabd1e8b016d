// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/attention/block_mask.hpp"

#include <algorithm>

namespace parity::reference {
namespace {

enum class Kind { empty, partial, full };

/// Some queries of a row, and the keys that they attend to.
class Queries {
 public:
  /// \param positions  of all queries; empty = a query's index is its position
  Queries(const Mask& mask, int64_t b, Range places, const std::vector<int64_t>& positions)
      : mask_(mask), b_(b) {
    for (int64_t place = places.begin; place < places.begin + places.count; ++place) {
      positions_.push_back(positions.empty() ? place : positions[static_cast<size_t>(place)]);
      if (mask.contiguous)
        first_keys_.push_back(mask.first_key(b, positions_.back()));
    }
  }

  /// \param allowed  [queries, keys], filled in unless the block is empty
  Kind classify_block(Range keys, std::vector<uint8_t>& allowed) const {
    if (mask_.contiguous && none_reaches(keys))
      return Kind::empty;
    allowed.clear();
    size_t count = 0;
    for (size_t i = 0; i < positions_.size(); ++i)
      for (int64_t kv = keys.begin; kv < keys.begin + keys.count; ++kv) {
        allowed.push_back(allows(i, kv) ? 1 : 0);
        count += allowed.back();
      }
    return count == 0 ? Kind::empty : count == allowed.size() ? Kind::full : Kind::partial;
  }

 private:
  bool allows(size_t i, int64_t kv) const {
    return mask_.contiguous ? kv >= first_keys_[i] && kv <= positions_[i]
                            : mask_.allows(b_, positions_[i], kv);
  }
  bool none_reaches(Range keys) const {
    return keys.begin > *std::ranges::max_element(positions_) ||
           keys.begin + keys.count <= *std::ranges::min_element(first_keys_);
  }

  const Mask& mask_;
  int64_t b_;
  std::vector<int64_t> positions_, first_keys_;
};

}  // namespace

QueryBlock BlockMask::query_block(const Mask& mask, int64_t b, Range queries,
                                  const std::vector<int64_t>& positions) {
  QueryBlock result{queries, {}, 0, {}};
  const Queries looking(mask, b, queries, positions);
  std::vector<torch::Tensor> forbidden;
  bool any_partial = false;
  std::vector<uint8_t> allowed;
  for (int64_t begin = 0; begin < mask.seq_len; begin += block_size) {
    const Range keys{begin, std::min(block_size, mask.seq_len - begin)};
    const Kind kind = looking.classify_block(keys, allowed);
    if (kind == Kind::empty) {
      ++empty_blocks_;
      continue;
    }
    any_partial = any_partial || kind == Kind::partial;
    if (!result.keys.empty() && result.keys.back().begin + result.keys.back().count == keys.begin)
      result.keys.back().count += keys.count;
    else
      result.keys.push_back(keys);
    result.key_count += keys.count;
    forbidden.push_back(torch::from_blob(allowed.data(), {queries.count, keys.count}, torch::kUInt8).eq(0));
  }
  if (any_partial)
    result.forbidden_QK = at::cat(forbidden, 1);
  return result;
}

BlockMask::BlockMask(const Mask& mask, const std::vector<int64_t>& queries) {
  const int64_t count = queries.empty() ? mask.seq_len : static_cast<int64_t>(queries.size());
  const int64_t different = mask.rows_differ ? mask.rows : 1;
  for (int64_t b = 0; b < different; ++b) {
    std::vector<QueryBlock>& row = rows_.emplace_back();
    for (int64_t begin = 0; begin < count; begin += block_size)
      row.push_back(query_block(mask, b, {begin, std::min(block_size, count - begin)}, queries));
  }
}

BlockMask::BlockMask(const BlockMask& other, torch::Device device)
    : rows_(other.rows_), empty_blocks_(other.empty_blocks_) {
  for (std::vector<QueryBlock>& row : rows_)
    for (QueryBlock& block : row)
      if (block.forbidden_QK.defined())
        block.forbidden_QK = block.forbidden_QK.to(device);
}

BlockMask::BlockMask(const BlockMask& whole, int64_t first, int64_t count) : rows_(whole.rows_) {
  if (rows_.size() > 1)
    rows_.assign(whole.rows_.begin() + first, whole.rows_.begin() + first + count);
}

}  // namespace parity::reference
