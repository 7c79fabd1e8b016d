// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/batches/equal_rows.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace parity::laws {
namespace {

constexpr int64_t shortest_row = 4;   // shorter ones are equal by chance
constexpr size_t fewest_updates = 3;  // by chance, data has a row twice in fewer

bool same_rows(const Batch& batch, int64_t a, int64_t b, int64_t count) {
  const auto begin = batch.tokens.begin();
  return std::equal(begin + a * batch.length, begin + (a + count) * batch.length, begin + b * batch.length);
}

/// Returns the bytes of a row of some values; "" if those were not recorded.
std::string_view bytes_of_row(const Batch& batch, const std::vector<double>& values, int64_t row) {
  if (values.empty())
    return {};
  return {reinterpret_cast<const char*>(&values[batch.at(row, 0)]),
          static_cast<size_t>(batch.length) * sizeof(double)};
}

/// Returns whether all tokens of a row are one, such as padding.
bool is_constant(const Batch& batch, int64_t row) {
  const std::span tokens(&batch.tokens[batch.at(row, 0)], static_cast<size_t>(batch.length));
  return std::ranges::all_of(tokens, [&](double token) { return token == tokens.front(); });
}

}  // namespace

EqualRows::EqualRows(const RecordedRun& run, Finding& finding, Departures& departures)
    : finding_(finding),
      departures_(departures),
      rollouts_(run.config_text("data.source") == "rollouts"),
      micro_batches_(micro_batches_of(run)) {}

void EqualRows::add(const Batch& batch) {
  if (batch.tokens.empty())
    return;
  compare_ranks(batch);
  if (rollouts_)
    return;
  compare_micro_batches(batch);
  compare_single_rows(batch);
}

void EqualRows::compare_micro_batches(const Batch& batch) {
  if (micro_batches_ < 2)
    return;
  std::vector<RankRows> ranks = batch.rows_of_rank;
  if (ranks.empty())
    ranks = {{0, 0, batch.rows}};
  for (const auto& [rank, first, end] : ranks) {
    const int64_t rows = (end - first) / micro_batches_;
    if (rows == 0 || (end - first) % micro_batches_ != 0)
      continue;
    for (int64_t one = 1; one < micro_batches_; ++one)
      for (int64_t other = 0; other < one; ++other) {
        ++finding_.checked;
        if (same_rows(batch, first + other * rows, first + one * rows, rows))
          departures_.add("micro-batches", batch.step,
                          fmt::format("micro-batch {} reads the rows of micro-batch {}", one, other),
                          batch.tokens_name);
      }
  }
}

/// Compares the rows of ranks whose layouts cut one batch.
void EqualRows::compare_ranks(const Batch& batch) {
  for (size_t i = 1; i < batch.rows_of_rank.size(); ++i)
    for (size_t k = 0; k < i; ++k) {
      const RankRows &one = batch.rows_of_rank[i], &other = batch.rows_of_rank[k];
      const int64_t rows = one.end - one.first;
      ++finding_.checked;
      if (rows == other.end - other.first && same_rows(batch, other.first, one.first, rows))
        departures_.add("ranks", batch.step,
                        fmt::format("rank {} reads the rows of rank {}", one.rank, other.rank),
                        batch.tokens_name, one.rank);
    }
}

void EqualRows::compare_single_rows(const Batch& batch) {
  if (batch.rows < 2 || batch.length < shortest_row)
    return;
  asked_.insert(batch.step);
  std::map<std::pair<std::string_view, std::string_view>, int64_t> seen;
  for (int64_t row = 0; row < batch.rows; ++row) {
    if (is_constant(batch, row))
      continue;
    const auto [place, is_new] = seen.emplace(
        std::pair(bytes_of_row(batch, batch.tokens, row), bytes_of_row(batch, batch.labels, row)), row);
    if (is_new)
      continue;
    if (first_.empty()) {
      first_ = fmt::format("row {} is row {}", row, place->second);
      tokens_name_ = batch.tokens_name;
    }
    equal_.insert(batch.step);
    return;
  }
}

void EqualRows::finish() {
  if (equal_.empty() || departures_.has("micro-batches") || departures_.has("ranks"))
    return;
  if (equal_ == asked_ && asked_.size() >= fewest_updates)
    departures_.add("rows", *equal_.begin(), fmt::format("{}, and so in every update", first_), tokens_name_);
  else
    finding_.notes.push_back(
        fmt::format("rows of one update are equal in {} of {} updates, first {} in update {}", equal_.size(),
                    asked_.size(), first_, *equal_.begin()));
}

}  // namespace parity::laws
