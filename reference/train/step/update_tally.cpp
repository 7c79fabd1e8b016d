// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/step/update_tally.hpp"

#include <array>

namespace parity::reference {
namespace {

int64_t channel_of(const measure::Digest& digest) {
  return static_cast<int64_t>(digest.low ^ digest.high);
}

}  // namespace

void UpdateTally::add(const MicroBatch& batch) {
  constexpr uint64_t labels_begin = uint64_t{1} << 40;
  const auto first = static_cast<uint64_t>(first_row_ * batch.seq_len + tokens_);
  digest_ += measure::digest_of({DType::int64, batch.shape(), batch.tokens.data()}, first);
  digest_ += measure::digest_of({DType::int64, batch.shape(), batch.labels.data()}, labels_begin + first);
  positions_ += measure::digest_of({DType::int64, batch.shape(), batch.positions.data()}, first);
  ++micro_batches_;
  tokens_ += static_cast<int64_t>(batch.tokens.size());
  valid_tokens_ += batch.valid_tokens;
}

int64_t UpdateTally::digest() const {
  return channel_of(digest_);
}

void UpdateTally::add_masks(const std::map<std::string, Mask>& masks) {
  int64_t mask_begin = 0;  // where the rows of a mask begin, for the digest
  for (const auto& [name, mask] : masks) {
    mask_facts_ += facts_of(mask, mask_begin + first_row_ + tokens_ / mask.seq_len - mask.rows);
    mask_begin += int64_t{1} << 24;
  }
}

int64_t UpdateTally::mask_digest() const {
  return channel_of(mask_facts_.digest);
}

int64_t UpdateTally::position_digest() const {
  return channel_of(positions_);
}

void UpdateTally::sum_over(const Group& ranks) {
  if (ranks.size() == 1)
    return;
  const std::array<int64_t*, 3> counts = {&tokens_, &valid_tokens_, &mask_facts_.pairs};
  const std::array<measure::Digest*, 3> digests = {&digest_, &positions_, &mask_facts_.digest};
  std::vector<int64_t> numbers;
  for (const int64_t* count : counts)
    numbers.push_back(*count);
  for (const measure::Digest* digest : digests)
    numbers.insert(numbers.end(), {static_cast<int64_t>(digest->low), static_cast<int64_t>(digest->high)});
  // Sums of int64 wrap as those of a digest's halves do.
  const torch::Tensor sums = torch::tensor(numbers, torch::kInt64);
  ranks.all_reduce(sums);
  const auto* next = sums.const_data_ptr<int64_t>();
  for (int64_t* count : counts)
    *count = *next++;
  for (measure::Digest* digest : digests) {
    digest->low = static_cast<uint64_t>(*next++);
    digest->high = static_cast<uint64_t>(*next++);
  }
}

}  // namespace parity::reference
