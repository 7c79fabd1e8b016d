// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "reference/attention/masks/predicate.hpp"

namespace parity::reference {

/// Allows a query and a key of one block of `size` tokens: floor((q - pad[b]) / size) == floor((kv - pad[b])
/// / size). Source: NUMERICS.md 2.1: iRoPE's fixed blocks, and with left padding Hugging Face's chunked
/// attention.
struct FixedBlock {
  int64_t size = 1;
  std::shared_ptr<const std::vector<int64_t>> left_padding_B = nullptr;  ///< null: none in any row

  bool operator()(int64_t b, int64_t q, int64_t kv) const {
    const int64_t pad = left_padding_B ? (*left_padding_B)[static_cast<size_t>(b)] : 0;
    return block_of(q - pad) == block_of(kv - pad);
  }

 private:
  int64_t block_of(int64_t i) const { return (i >= 0 ? i : i - size + 1) / size; }
};

/// Fixed blocks as torchtitan first wrote them (#1102, until #1776). `inner` receives q and kv counted from
/// the start of their block. So a rule that looks up positions, such as documents, always answers for the
/// first block. Source: NUMERICS.md 2.2.
struct FixedBlockAsFirstWritten {
  int64_t size = 1;
  Predicate inner;

  bool operator()(int64_t b, int64_t q, int64_t kv) const {
    return q / size == kv / size && inner(b, q % size, kv % size);
  }
};

/// Returns the number of padding tokens before a row's first token, from its positions. Padding has position
/// 0, as the first token has.
int64_t left_padding_of(std::span<const int64_t> positions_S);

}  // namespace parity::reference
