// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/attention/block_mask.hpp"

#include <algorithm>

namespace parity::reference {
namespace {

enum class Kind { empty, partial, full };

/// \param positions  of all queries; empty = a query's place is its position
/// \param allowed    [queries, keys] of the block, filled in
Kind work_out(const Mask& mask, int64_t b, Range queries, const std::vector<int64_t>& positions, Range keys,
              std::vector<uint8_t>& allowed) {
  allowed.clear();
  size_t count = 0;
  for (int64_t q = queries.begin; q < queries.begin + queries.count; ++q)
    for (int64_t kv = keys.begin; kv < keys.begin + keys.count; ++kv) {
      const int64_t at = positions.empty() ? q : positions[static_cast<size_t>(q)];
      allowed.push_back(mask.allows(b, at, kv) ? 1 : 0);
      count += allowed.back();
    }
  return count == 0 ? Kind::empty : count == allowed.size() ? Kind::full : Kind::partial;
}

}  // namespace

QueryBlock BlockMask::query_block(const Mask& mask, int64_t b, Range queries,
                                  const std::vector<int64_t>& positions) {
  QueryBlock result{queries, {}, 0, {}};
  std::vector<torch::Tensor> forbidden;
  bool any_partial = false;
  std::vector<uint8_t> allowed;
  for (int64_t begin = 0; begin < mask.seq_len; begin += block_size) {
    const Range keys{begin, std::min(block_size, mask.seq_len - begin)};
    const Kind kind = work_out(mask, b, queries, positions, keys, allowed);
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
  const int64_t different = mask.document_ids ? mask.rows : 1;
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
