// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/data/loader.hpp"

#include <algorithm>
#include <string>

#include "harness/base/error.hpp"
#include "reference/data/random.hpp"

namespace parity::reference {
namespace {

constexpr uint64_t ignore_purpose = 17;

/// Returns the length of the prefix of a sequence whose labels do not count, uniform in 0 .. 2 fraction S.
/// Like prompts of different lengths, it gives rows different numbers of valid tokens.
int64_t ignored_prefix(const DataConfig& config, int64_t sequence) {
  const auto longest =
      static_cast<uint64_t>(2 * config.ignore_fraction * static_cast<double>(config.seq_len));
  IntegerStream random(static_cast<uint64_t>(config.seed), ignore_purpose, static_cast<uint64_t>(sequence));
  return static_cast<int64_t>(random.below(longest + 1));
}

/// Replaces the token data.probe_position of a sequence by the next one of the vocabulary that marks no end
/// of a document. Its labels stay.
void change_token(const DataConfig& config, int64_t vocab_size, Row& row) {
  const auto is_mark = [&](int64_t token) {
    return token == eos_id_of(config) || token == config.newline_id;
  };
  int64_t& token = row.tokens.at(static_cast<size_t>(config.probe_position));
  if (is_mark(token))
    throw UserError("cannot change token " + std::to_string(config.probe_position) + " of sequence " +
                    std::to_string(config.probe_row) +
                    " (it marks the end of a document); give another data.probe_position");
  do
    token = (token + 1) % vocab_size;
  while (is_mark(token));
}

}  // namespace

Loader::Loader(const DataConfig& config, const DataLimits& limits, RowShare share)
    : config_(config), vocab_size_(limits.vocab_size), rows_(make_rows(config, limits)), share_(share) {}

void append_row(MicroBatch& batch, const Row& row) {
  batch.valid_tokens += static_cast<int64_t>(row.labels.size()) -
                        std::count(row.labels.begin(), row.labels.end(), ignored_label);
  batch.tokens.insert(batch.tokens.end(), row.tokens.begin(), row.tokens.end());
  batch.labels.insert(batch.labels.end(), row.labels.begin(), row.labels.end());
  batch.positions.insert(batch.positions.end(), row.positions.begin(), row.positions.end());
  for (size_t i = 0; i < row.positions.size(); ++i)
    batch.whole_positions = batch.whole_positions && row.positions[i] == static_cast<int64_t>(i);
  ++batch.rows;
}

Row Loader::checked_row(int64_t sequence) const {
  Row row = rows_->row(sequence);
  const auto check = [&](int64_t token) {
    if (token < 0 || token >= vocab_size_)
      throw UserError("token " + std::to_string(token) + " of sequence " + std::to_string(sequence) +
                      " is beyond the vocabulary of " + std::to_string(vocab_size_) +
                      " (the embedding has no row for it); raise architecture.vocab_size");
  };
  for (const int64_t token : row.tokens)
    check(token);
  for (const int64_t label : row.labels)
    if (label != ignored_label)
      check(label);
  if (sequence == config_.probe_row)
    change_token(config_, vocab_size_, row);
  std::fill_n(row.labels.begin(), ignored_prefix(config_, sequence), ignored_label);
  return row;
}

MicroBatch Loader::next_micro_batch() {
  MicroBatch batch;
  batch.seq_len = config_.seq_len;
  const int64_t rows = config_.global_batch / share_.count;
  for (int64_t row = 0; row < rows / config_.micro_batches; ++row)
    append_row(batch, checked_row(position_ + first_row() + taken_++));
  if (taken_ == rows) {
    taken_ = 0;
    position_ += config_.global_batch;
  }
  return batch;
}

int64_t Loader::next_row_digest() const {
  const Row row = checked_row(position_);
  uint64_t digest = 0;
  for (const std::vector<int64_t>* part : {&row.tokens, &row.labels, &row.positions})
    for (const int64_t number : *part)
      digest = scramble(digest + static_cast<uint64_t>(number) + 1);
  return static_cast<int64_t>(digest);
}

void Loader::check_update(int64_t valid_tokens) const {
  if (valid_tokens == 0)
    throw UserError("the update that begins at sequence " + std::to_string(position_ - config_.global_batch) +
                    (config_.path.empty() ? "" : " of " + config_.path) +
                    " has no label that counts (its mean loss would be 0 / 0); " +
                    "lower data.ignore_fraction, or give the data labels");
}

UpdateBatches Loader::next() {
  UpdateBatches update;
  update.totals.micro_batches = config_.micro_batches;
  for (int64_t m = 0; m < config_.micro_batches; ++m) {
    update.micro_batches.push_back(next_micro_batch());
    update.totals.valid_tokens += update.micro_batches.back().valid_tokens;
  }
  return update;
}

}  // namespace parity::reference
