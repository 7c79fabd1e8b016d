// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/attention/block_mask.hpp"

#include <algorithm>

namespace parity::reference {
namespace {

enum class Kind { empty, partial, full };

/// \param allowed  [queries, keys] of the block, filled in
Kind work_out(const Mask& mask, int64_t b, Range queries, Range keys, std::vector<uint8_t>& allowed) {
  allowed.clear();
  size_t count = 0;
  for (int64_t q = queries.begin; q < queries.begin + queries.count; ++q)
    for (int64_t kv = keys.begin; kv < keys.begin + keys.count; ++kv) {
      allowed.push_back(mask.allows(b, q, kv) ? 1 : 0);
      count += allowed.back();
    }
  return count == 0 ? Kind::empty : count == allowed.size() ? Kind::full : Kind::partial;
}

}  // namespace

QueryBlock BlockMask::query_block(const Mask& mask, int64_t b, Range queries) {
  QueryBlock result{queries, {}, 0, {}};
  std::vector<torch::Tensor> forbidden;
  bool any_partial = false;
  std::vector<uint8_t> allowed;
  for (int64_t begin = 0; begin < mask.seq_len; begin += block_size) {
    const Range keys{begin, std::min(block_size, mask.seq_len - begin)};
    const Kind kind = work_out(mask, b, queries, keys, allowed);
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

BlockMask::BlockMask(const Mask& mask) {
  const int64_t different = mask.document_ids ? mask.rows : 1;
  for (int64_t b = 0; b < different; ++b) {
    std::vector<QueryBlock>& row = rows_.emplace_back();
    for (int64_t begin = 0; begin < mask.seq_len; begin += block_size)
      row.push_back(query_block(mask, b, {begin, std::min(block_size, mask.seq_len - begin)}));
  }
}

BlockMask::BlockMask(const BlockMask& whole, int64_t first, int64_t count) : rows_(whole.rows_) {
  if (rows_.size() > 1)
    rows_.assign(whole.rows_.begin() + first, whole.rows_.begin() + first + count);
}

}  // namespace parity::reference
