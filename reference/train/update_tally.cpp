// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/update_tally.hpp"

namespace parity::reference {

void UpdateTally::add(const MicroBatch& batch) {
  constexpr uint64_t labels_begin = uint64_t{1} << 40;
  const auto first = static_cast<uint64_t>(tokens_);
  digest_ += digest_of({DType::int64, batch.shape(), batch.tokens.data()}, first);
  digest_ += digest_of({DType::int64, batch.shape(), batch.labels.data()}, labels_begin + first);
  ++micro_batches_;
  tokens_ += static_cast<int64_t>(batch.tokens.size());
  valid_tokens_ += batch.valid_tokens;
}

int64_t UpdateTally::digest() const {
  return static_cast<int64_t>(digest_.low ^ digest_.high);
}

}  // namespace parity::reference
