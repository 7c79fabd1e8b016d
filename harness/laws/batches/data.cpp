// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
// Law "data": each update reads other tokens, each rank other rows, labels are the next tokens, positions
// count up, and the model reads all of it.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/laws/batches/batch.hpp"
#include "harness/laws/batches/departures.hpp"
#include "harness/laws/batches/epochs.hpp"
#include "harness/laws/batches/equal_rows.hpp"
#include "harness/laws/batches/read_inputs.hpp"
#include "harness/laws/laws.hpp"
#include "harness/laws/ranks/data_parallel.hpp"
#include "harness/laws/ranks/rank_inputs.hpp"

namespace parity::laws {
namespace {

using trace::Phase;

/// Compares what ranks read over updates, where no update repeats another as a whole.
void check_reads(const RecordedRun& run, Finding& finding, Departures& departures) {
  std::vector<RankRead> reads;
  for (const int64_t step : run.steps()) {
    RankInputs inputs = digests_of_ranks(run, step);
    if (inputs.ids.empty())
      inputs = tokens_of_ranks(run, step);
    for (const auto& [rank, id] : inputs.ids)
      reads.push_back({step, rank, id});
  }
  const std::optional<ReadAgain> again = find_read_again(reads);
  if (!again || run.config_text("data.source") == "rollouts")
    return;
  const std::string sentence =
      fmt::format("rank {} reads in update {} what rank {} read in update {}", again->again.rank,
                  again->again.step, again->first.rank, again->first.step);
  if (again->within_epoch)
    departures.add("repeat", again->again.step, sentence, "", again->again.rank);
  else
    finding.notes.push_back(sentence + ": right only where an epoch ends");
}

void check_repeats(const RecordedRun& run, Finding& finding, Departures& departures) {
  const std::map<int64_t, std::string> ids = batch_ids(run);
  if (ids.size() < 2)
    return;
  finding.checked += static_cast<int64_t>(ids.size());
  std::vector<std::string> batches;
  for (const auto& [step, id] : ids)
    batches.push_back(id);
  if (const std::optional<Epochs> epochs = find_epochs(batches)) {
    const int64_t step = std::next(ids.begin(), static_cast<ptrdiff_t>(epochs->length))->first;
    // Drawn data has no end; a file that was read to its end begins again.
    if (run.config_text("data.source") == "synthetic")
      departures.add("repeat", step,
                     fmt::format("updates from {} on read the batches from update {} on again", step,
                                 ids.begin()->first));
    else
      finding.notes.push_back(epochs->text(step));
    return;
  }
  std::map<std::string, int64_t> first;
  int64_t repeats = 0;
  for (const auto& [step, id] : ids) {
    const auto [earlier, fresh] = first.emplace(id, step);
    if (fresh)
      continue;
    if (++repeats == 1)
      departures.add("repeat", step,
                     fmt::format("update {} reads the batch of update {} again", step, earlier->second));
  }
  if (repeats > 1)
    finding.notes.push_back(fmt::format("{} updates read an earlier batch again", repeats));
  if (repeats == 0)
    check_reads(run, finding, departures);
}

/// Compares labels with the next tokens, where those are of the same document.
void check_next_tokens(const Batch& batch, Finding& finding, Departures& departures) {
  int64_t wrong = 0, first_row = 0, first_place = 0;
  for (int64_t row = 0; row < batch.rows; ++row)
    for (int64_t place = 0; place + 1 < batch.length; ++place) {
      const double label = batch.labels[batch.at(row, place)];
      if (label == ignored_label || label == batch.tokens[batch.at(row, place + 1)] ||
          begins_document(batch, row, place + 1))
        continue;
      if (wrong++ == 0) {
        first_row = row;
        first_place = place;
      }
    }
  ++finding.checked;
  if (wrong > 0)
    departures.add("labels", batch.step,
                   fmt::format("{} labels are not the next token, the first at row {}, place {}", wrong,
                               first_row, first_place),
                   "labels");
}

/// \param places  receives what depends on which tokens are neighbours
void check_labels(const Batch& batch, Finding& finding, Departures& departures, Departures& places) {
  if (batch.tokens.empty() || batch.labels.empty())
    return;
  const double next = share_of_shift(batch, 1), same = share_of_shift(batch, 0);
  if (next >= 0.5) {
    check_next_tokens(batch, finding, places);
    return;
  }
  for (const int64_t shift : {0, -1, 2, 3})
    if (share_of_shift(batch, shift) >= 0.9) {
      if (shift == 0 && batch.tokens_name == "input_ids") {
        if (batch.step <= 1)
          finding.notes.emplace_back(
              "labels are the tokens themselves, for a model that shifts them; whether it does, law loss "
              "compares");
        return;
      }
      ++finding.checked;
      departures.add("labels", batch.step,
                     shift == 0 ? "labels are the tokens themselves, not the next ones"
                                : fmt::format("labels are the tokens {} places on, not the next ones", shift),
                     "labels");
      return;
    }
  if (std::isfinite(same) && batch.step <= 1)
    finding.notes.emplace_back("labels are not shifted tokens, so their shift was not compared");
}

void check_counts(const RecordedRun& run, const Batch& batch, Finding& finding, Departures& departures) {
  if (batch.labels.empty())
    return;
  const auto ignored = std::ranges::count(batch.labels, ignored_label);
  const auto all = static_cast<int64_t>(batch.labels.size());
  if (ignored == all) {
    departures.add("ignored", batch.step, "every label is ignored", "labels");
    return;
  }
  const auto recorded = run.channel("valid_tokens", batch.step);
  if (!recorded)
    return;
  const auto counted = static_cast<double>(all - ignored);
  if (!finding.compare(std::abs(*recorded - counted), 0))
    departures.add("count", batch.step,
                   fmt::format("valid_tokens is {}, but {} labels count{}", *recorded, counted,
                               *recorded == static_cast<double>(all) ? ": it includes the ignored ones" : ""),
                   "labels", {}, *recorded / counted);
}

void check_positions(const Batch& batch, Finding& finding, Departures& departures) {
  if (batch.positions.empty())
    return;
  ++finding.checked;
  int64_t restarts = 0, missed = 0, missed_row = 0, missed_place = 0;
  for (int64_t row = 0; row < batch.rows; ++row)
    for (int64_t place = 1; place < batch.length; ++place) {
      const double now = batch.positions[batch.at(row, place)],
                   before = batch.positions[batch.at(row, place - 1)];
      restarts += now == 0;
      if (now != 0 && now != before + 1)
        departures.add(
            "positions", batch.step,
            fmt::format("position {} follows {} at row {}, place {}: it neither continues nor restarts at 0",
                        now, before, row, place),
            "positions");
      if (batch.documents.empty() || now == 0 ||
          batch.documents[batch.at(row, place)] == batch.documents[batch.at(row, place - 1)])
        continue;
      if (missed++ == 0) {
        missed_row = row;
        missed_place = place;
      }
    }
  if (restarts > 0 && missed > 0)
    departures.add("restart", batch.step,
                   fmt::format("positions do not restart at {} documents, the first at row {}, place {}",
                               missed, missed_row, missed_place),
                   "positions");
  else if (missed > 0)
    finding.notes.emplace_back("positions run on over documents: right for a model that wants them so");
}

/// Compares what ranks read that each recorded its own inputs.
/// \param shared  receives why ranks that read the same rows may: reason -> ranks
void check_ranks(const RecordedRun& run, int64_t step, std::map<std::string, std::set<int64_t>>& shared,
                 Finding& finding, Departures& departures) {
  RankInputs inputs = tokens_of_ranks(run, step);
  if (inputs.ids.size() < 2)
    inputs = digests_of_ranks(run, step);
  const auto ranks = static_cast<int64_t>(inputs.ids.size());
  finding.checked += ranks * (ranks - 1) / 2;
  for (const auto& [rank, other] : inputs.pairs()) {
    const bool declared = are_data_parallel(run, step, rank, other);
    if (declared && !compute_other_gradients(run, step, rank, other)) {
      departures.add("ranks", step, fmt::format("rank {} reads the rows of rank {}", rank, other),
                     inputs.name == "batch_digest" ? "" : fmt::format("{}#{}", inputs.name, rank), rank);
      continue;
    }
    shared[declared ? "and compute other gradients of them: right if they cut the sequences, and wrong "
                      "with dropout"
                    : "and nothing that was recorded shows that they must read others"]
        .insert({rank, other});
    --finding.checked;  // not judged
  }
}

/// Checks the inputs that each rank recorded under its own names.
/// \param cut  receives what is lawful for ranks that cut the sequences
/// \return whether there are labels
bool check_inputs_of_ranks(const RecordedRun& run, int64_t step, EqualRows& rows, Finding& finding,
                           Departures& departures, Departures& cut) {
  bool has_labels = false;
  const bool is_whole = are_all_data_parallel(run, step);
  for (const auto& [rank, id] : tokens_of_ranks(run, step).ids) {
    const Batch batch = read_batch(run, step, rank);
    has_labels = has_labels || !batch.labels.empty();
    rows.add(batch);
    check_labels(batch, finding, departures, is_whole ? departures : cut);
    check_positions(batch, finding, is_whole ? departures : cut);
  }
  return has_labels;
}

/// Keeps the first of equal notes, as ranks give.
void drop_repeats(std::vector<std::string>& notes) {
  std::set<std::string> seen;
  std::erase_if(notes, [&](const std::string& note) { return !seen.insert(note).second; });
}

bool has_tokens(const RecordedRun& run) {
  return std::ranges::any_of(run.steps(), [&](int64_t step) {
    return !tokens_of_ranks(run, step).ids.empty() || std::ranges::any_of(token_names, [&](const char* name) {
      return run.trace().find_sketch({step, Phase::input, name}) != nullptr;
    });
  });
}

}  // namespace

Finding ask_data(const RecordedRun& run) {
  Finding finding, of_cut;
  Departures departures(finding), cut(of_cut);
  check_repeats(run, finding, departures);
  EqualRows rows(run, finding, departures);
  bool has_labels = false;
  std::map<std::string, std::set<int64_t>> shared;
  for (const int64_t step : run.steps()) {
    check_ranks(run, step, shared, finding, departures);
    check_read_inputs(run, step, finding, departures);
    has_labels = check_inputs_of_ranks(run, step, rows, finding, departures, cut) || has_labels;
    const Batch batch = read_batch(run, step);
    if (batch.rows == 0)
      continue;
    has_labels = has_labels || !batch.labels.empty();
    rows.add(batch);
    check_labels(batch, finding, departures, departures);
    check_counts(run, batch, finding, departures);
    check_positions(batch, finding, departures);
  }
  rows.finish();
  for (const auto& [reason, ranks] : shared)
    finding.notes.push_back(fmt::format("ranks {} read the same rows, {}", fmt::join(ranks, ", "), reason));
  for (const Departure& departure : of_cut.departures)
    finding.notes.push_back(
        fmt::format("{}: right only if ranks cut the sequences, which nothing that was recorded shows",
                    departure.text()));
  drop_repeats(finding.notes);
  if (finding.answer() == Answer::not_asked)
    finding.why = has_tokens(run) || !batch_ids(run).empty()
                      ? "the batch of one update was recorded, without labels, positions or another batch "
                        "to compare it with"
                      : "neither a digest of the batches nor tokens were recorded";
  else if (!has_labels)
    finding.notes.emplace_back(
        "labels and ignored tokens were not compared: record phase input with tokens and labels");
  return finding;
}

}  // namespace parity::laws
