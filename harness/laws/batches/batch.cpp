// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/batches/batch.hpp"

#include <initializer_list>

#include "harness/tensor/part.hpp"

namespace parity::laws {
namespace {

using trace::Phase;
using trace::TensorKey;

/// Returns the first of the names that is a matrix of the batch's size; "" if none is.
std::string read_input(const RecordedRun& run, Batch& batch, std::vector<double>& values,
                       std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const TensorKey key{batch.step, Phase::input, name};
    if (!run.has_values(key))
      continue;
    const Shape shape = run.trace().tensor(key).shape;
    if (shape.size() != 2 || (batch.rows > 0 && (shape[0] != batch.rows || shape[1] != batch.length)))
      continue;
    batch.rows = shape[0];
    batch.length = shape[1];
    values = run.values(key);
    return name;
  }
  return "";
}

/// Reads which rows each rank holds, if every rank holds rows of its own.
void read_ranks(const RecordedRun& run, Batch& batch, const std::string& name) {
  const auto found = run.trace().rank_rows().find({batch.step, Phase::input, name});
  if (found == run.trace().rank_rows().end())
    return;
  int64_t next = 0;
  for (const trace::RankRow& row : found->second) {
    if (!row.layout)
      break;
    const PartCover cover = cover_of(*row.layout);
    if (cover.ranges.empty() || cover.ranges[0].size() != 1 || cover.ranges[0][0].first != next)
      break;
    next = cover.ranges[0][0].end;
    batch.rows_of_rank.emplace_back(cover.ranges[0][0].first, next);
  }
  if (next != batch.rows)
    batch.rows_of_rank.clear();
}

}  // namespace

Batch read_batch(const RecordedRun& run, int64_t step) {
  Batch batch{.step = step};
  batch.tokens_name = read_input(run, batch, batch.tokens, {"tokens", "input_ids", "input", "x", "idx"});
  read_input(run, batch, batch.labels, {"labels", "targets", "target", "y"});
  read_input(run, batch, batch.positions, {"positions", "position_ids"});
  read_input(run, batch, batch.documents, {"document_ids"});
  if (!batch.tokens_name.empty())
    read_ranks(run, batch, batch.tokens_name);
  return batch;
}

}  // namespace parity::laws
