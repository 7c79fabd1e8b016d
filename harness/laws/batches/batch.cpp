// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/batches/batch.hpp"

#include <algorithm>
#include <initializer_list>
#include <ranges>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/laws/ranks/rank_inputs.hpp"
#include "harness/tensor/part.hpp"

namespace parity::laws {
namespace {

using trace::Phase;
using trace::TensorKey;

/// Returns the first of the names that is a matrix of the batch's size; "" if none is.
/// \param suffix  of the names: "#1" for those of rank 1
std::string read_input(const RecordedRun& run, Batch& batch, std::vector<double>& values,
                       std::initializer_list<const char*> names, const std::string& suffix) {
  for (const char* name : names) {
    const TensorKey key{batch.step, Phase::input, name + suffix};
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

/// Reads which rows each rank holds, if ranks hold other rows or the very rows of a rank before, as those of
/// tensor parallel do.
void read_ranks(const RecordedRun& run, Batch& batch, const std::string& name) {
  const auto found = run.trace().rank_rows().find({batch.step, Phase::input, name});
  if (found == run.trace().rank_rows().end())
    return;
  int64_t next = 0;
  for (const trace::RankRow& row : found->second) {
    if (!row.layout)
      break;
    const PartCover cover = cover_of(*row.layout);
    if (cover.ranges.empty() || cover.ranges[0].size() != 1)
      break;
    const RankRows rows{row.rank, cover.ranges[0][0].first, cover.ranges[0][0].end};
    if (std::ranges::any_of(batch.rows_of_rank, [&](const RankRows& each) {
          return each.first == rows.first && each.end == rows.end;
        }))
      continue;
    if (rows.first != next)
      break;
    next = rows.end;
    batch.rows_of_rank.push_back(rows);
  }
  if (next != batch.rows)
    batch.rows_of_rank.clear();
}

}  // namespace

Batch read_batch(const RecordedRun& run, int64_t step, std::optional<int64_t> rank) {
  Batch batch{.step = step};
  const std::string suffix = rank ? fmt::format("#{}", *rank) : "";
  batch.tokens_name = read_input(run, batch, batch.tokens, token_names, suffix);
  read_input(run, batch, batch.labels, {"labels", "targets", "target", "y"}, suffix);
  read_input(run, batch, batch.positions, {"positions", "position_ids"}, suffix);
  read_input(run, batch, batch.documents, {"document_ids"}, suffix);
  if (!batch.tokens_name.empty() && !rank)
    read_ranks(run, batch, batch.tokens_name);
  return batch;
}

std::map<int64_t, std::string> batch_ids(const RecordedRun& run) {
  std::map<int64_t, std::string> ids;
  const auto join = [](const RankInputs& ranks) {
    return fmt::format("{}", fmt::join(std::views::values(ranks.ids), " "));
  };
  for (const int64_t step : run.steps()) {
    if (const RankInputs ranks = digests_of_ranks(run, step); !ranks.ids.empty())
      ids[step] = join(ranks);
    else if (const auto digest = run.channel("batch_digest", step);
             digest && *digest != 0)  // 0: no input seen
      ids[step] = fmt::format("{}", *digest);
    else if (const RankInputs tokens = tokens_of_ranks(run, step); !tokens.ids.empty())
      ids[step] = join(tokens);
    else
      for (const char* name : {"tokens", "input_ids"})
        if (const trace::SketchRow* row = run.trace().find_sketch({step, Phase::input, name}))
          ids[step] = fmt::format("{:x}.{:x}", row->digest.high, row->digest.low);
  }
  return ids;
}

bool begins_document(const Batch& batch, int64_t row, int64_t place) {
  const size_t i = batch.at(row, place);
  return (!batch.positions.empty() && batch.positions[i] == 0) ||
         (!batch.documents.empty() && batch.documents[i] != batch.documents[i - 1]);
}

double share_of_shift(const Batch& batch, int64_t shift) {
  int64_t same = 0, all = 0;
  for (int64_t row = 0; row < batch.rows; ++row)
    for (int64_t place = std::max<int64_t>(0, -shift); place < batch.length - std::max<int64_t>(0, shift);
         ++place) {
      const double label = batch.labels[batch.at(row, place)];
      if (label == ignored_label)
        continue;
      ++all;
      same += label == batch.tokens[batch.at(row, place + shift)];
    }
  return static_cast<double>(same) / static_cast<double>(all);
}

int64_t micro_batches_of(const RecordedRun& run) {
  int64_t count = 1;
  for (const char* key : {"data.micro_batches", "gradient_accumulation_steps"})
    count = std::max(count, static_cast<int64_t>(run.config_number(key).value_or(1)));
  const Json& facts = run.trace().provenance();  // the recorder of Python counts them
  if (const Json seen =
          facts.is_object() ? facts.value(Json::json_pointer("/recipe/micro_batches"), Json()) : Json();
      seen.is_number_integer())
    count = std::max(count, seen.get<int64_t>());
  return count;
}

}  // namespace parity::laws
