// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/data/loader.hpp"

#include <string>

#include "harness/base/error.hpp"
#include "reference/data/random.hpp"

namespace parity::reference {
namespace {

constexpr uint64_t ignore_purpose = 17;

/// Length of the prefix of a sequence whose labels do not count, uniform in 0 .. 2 fraction S: like prompts
/// of different lengths, so that rows have different numbers of valid tokens.
int64_t ignored_prefix(const DataConfig& config, int64_t sequence) {
  const auto longest =
      static_cast<uint64_t>(2 * config.ignore_fraction * static_cast<double>(config.seq_len));
  IntegerStream random(static_cast<uint64_t>(config.seed), ignore_purpose, static_cast<uint64_t>(sequence));
  return static_cast<int64_t>(random.below(longest + 1));
}

}  // namespace

Loader::Loader(const DataConfig& config, int64_t vocab_size)
    : config_(config), vocab_size_(vocab_size), corpus_(make_corpus(config, vocab_size)) {}

void Loader::append_row(MicroBatch& batch, int64_t sequence) const {
  const auto length = static_cast<size_t>(config_.seq_len);
  std::vector<int64_t> row(length + 1);
  corpus_->read(sequence, row);
  for (const int64_t token : row)
    if (token < 0 || token >= vocab_size_)
      throw UserError("token " + std::to_string(token) + " of sequence " + std::to_string(sequence) +
                      " is beyond the vocabulary of " + std::to_string(vocab_size_) +
                      " (the embedding has no row for it); raise architecture.vocab_size");
  batch.tokens.insert(batch.tokens.end(), row.begin(), row.end() - 1);
  const auto prefix = static_cast<size_t>(ignored_prefix(config_, sequence));
  for (size_t i = 0; i < length; ++i)
    batch.labels.push_back(i < prefix ? ignored_label : row[i + 1]);
  batch.valid_tokens += static_cast<int64_t>(length - prefix);
  ++batch.rows;
}

MicroBatch Loader::next_micro_batch() {
  MicroBatch batch;
  batch.seq_len = config_.seq_len;
  for (int64_t row = 0; row < config_.global_batch / config_.micro_batches; ++row)
    append_row(batch, position_++);
  return batch;
}

void Loader::end_update(int64_t valid_tokens) const {
  if (valid_tokens == 0)
    throw UserError("the update that begins at sequence " + std::to_string(position_ - config_.global_batch) +
                    " has no label that counts (its mean loss would be 0 / 0); lower data.ignore_fraction");
}

UpdateBatches Loader::next() {
  UpdateBatches update;
  for (int64_t m = 0; m < config_.micro_batches; ++m) {
    update.micro_batches.push_back(next_micro_batch());
    update.valid_tokens += update.micro_batches.back().valid_tokens;
  }
  end_update(update.valid_tokens);
  return update;
}

}  // namespace parity::reference
