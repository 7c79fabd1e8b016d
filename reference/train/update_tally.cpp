// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/update_tally.hpp"

namespace parity::reference {
namespace {

int64_t channel_of(const Digest& digest) {
  return static_cast<int64_t>(digest.low ^ digest.high);
}

}  // namespace

void UpdateTally::add(const MicroBatch& batch) {
  constexpr uint64_t labels_begin = uint64_t{1} << 40;
  const auto first = static_cast<uint64_t>(tokens_);
  digest_ += digest_of({DType::int64, batch.shape(), batch.tokens.data()}, first);
  digest_ += digest_of({DType::int64, batch.shape(), batch.labels.data()}, labels_begin + first);
  positions_ += digest_of({DType::int64, batch.shape(), batch.positions.data()}, first);
  ++micro_batches_;
  tokens_ += static_cast<int64_t>(batch.tokens.size());
  valid_tokens_ += batch.valid_tokens;
}

int64_t UpdateTally::digest() const {
  return channel_of(digest_);
}

void UpdateTally::add_mask(const Mask& mask) {
  mask_facts_ += facts_of(mask, tokens_ / mask.seq_len - mask.rows);
}

int64_t UpdateTally::mask_digest() const {
  return channel_of(mask_facts_.digest);
}

int64_t UpdateTally::position_digest() const {
  return channel_of(positions_);
}

}  // namespace parity::reference
