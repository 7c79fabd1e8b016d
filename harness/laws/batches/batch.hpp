// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/laws/run/recorded_run.hpp"

namespace parity::laws {

/// Label of a token that does not count.
constexpr double ignored_label = -100;

/// Rows [first, end) of a batch that a rank reads.
struct RankRows {
  int64_t rank = 0;  ///< the lowest that reads them
  int64_t first = 0, end = 0;
};

/// What was recorded of an update's batch, row after row. An empty vector was not recorded.
struct Batch {
  int64_t step = 0;
  int64_t rows = 0, length = 0;  ///< sequences, and tokens of one
  std::vector<double> tokens = {}, labels = {}, positions = {}, documents = {};
  std::string tokens_name = {};
  /// The rows of ranks, each range once; empty for one rank, or if ranks share some of their rows.
  std::vector<RankRows> rows_of_rank = {};

  size_t at(int64_t row, int64_t place) const { return static_cast<size_t>(row * length + place); }
};

/// Reads the inputs of an update. Without any, `rows` is 0.
/// \param rank  reads what this rank recorded under names of its own, such as "tokens#1"
Batch read_batch(const RecordedRun& run, int64_t step, std::optional<int64_t> rank = {});

/// Returns an identity of the tokens of each update: the channel batch_digest, else the digest of the tokens;
/// those of all ranks, if each recorded its own.
std::map<int64_t, std::string> batch_ids(const RecordedRun& run);

/// Returns whether a document begins at a place of a row, after its first.
bool begins_document(const Batch& batch, int64_t row, int64_t place);

/// Returns the share of counted labels that equal the token `shift` places on; NaN without such labels.
double share_of_shift(const Batch& batch, int64_t shift);

/// Returns the number of micro-batches of an update on a rank, from the config or what the recorder counted.
int64_t micro_batches_of(const RecordedRun& run);

}  // namespace parity::laws
