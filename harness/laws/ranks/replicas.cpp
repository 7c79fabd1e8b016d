// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
// Law "replicas": what several ranks hold as replicas has the same bits on each of them.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "harness/laws/laws.hpp"
#include "harness/laws/run/recorded_run.hpp"
#include "harness/laws/run/tensor_groups.hpp"

namespace parity::laws {
namespace {

using trace::ReplicaDifference;

/// Returns how far the norms of both ranks are apart, as text; "" if they are equal or unknown.
std::string size_of_gap(const RecordedRun& run, const ReplicaDifference& one) {
  const auto found = run.trace().rank_rows().find({one.step, *one.phase, one.name});
  if (found == run.trace().rank_rows().end())
    return "";
  std::map<int64_t, double> norms;
  for (const trace::RankRow& row : found->second)
    norms[row.rank] = row.norm;
  const double a = norms[one.rank], b = norms[one.other];
  return a == b ? ""
                : fmt::format("; the norms are {:.8g} and {:.8g}, apart by {:.2g} of the larger", a, b,
                              std::abs(a - b) / std::max(a, b));
}

Departure tensor_departure(const RecordedRun& run, const std::vector<const ReplicaDifference*>& same) {
  const ReplicaDifference& first = *same.front();
  std::set<std::string> names;
  std::set<int64_t> ranks;
  for (const ReplicaDifference* each : same) {
    names.insert(each->name);
    ranks.insert(each->other);
  }
  const std::string who = describe(names, run.names(first.step, *first.phase));
  std::string others;
  for (const int64_t rank : ranks)
    others += (others.empty() ? "" : ", ") + std::to_string(rank);
  Departure found{fmt::format("{} of {} differs between rank {} and rank {} at step {}",
                              name_of(*first.phase), who, first.rank, others, first.step),
                  first.step,
                  who,
                  ranks.size() == 1 ? std::optional(first.other) : std::nullopt,
                  {}};
  if (first.value && first.other_value)
    found.sentence += fmt::format(": {:.9g} and {:.9g} at the first element that differs", *first.value,
                                  *first.other_value);
  found.sentence += size_of_gap(run, first);
  return found;
}

void add_channels(const RecordedRun& run, Finding& finding) {
  std::set<std::string> seen;
  for (const ReplicaDifference& each : run.trace().replica_differences())
    if (!each.phase && seen.insert(each.name).second)
      finding.departures.push_back(
          {fmt::format("channel {} differs between rank {} and rank {} from step {}: {} and {}", each.name,
                       each.rank, each.other, each.step, each.value.value_or(NAN),
                       each.other_value.value_or(NAN)),
           each.step,
           "",
           each.other,
           {}});
}

/// Adds the tensors of the first step and phase that differ, then channels.
void add_differences(const RecordedRun& run, Finding& finding) {
  std::map<std::pair<int64_t, trace::Phase>, std::vector<const ReplicaDifference*>> tensors;
  for (const ReplicaDifference& each : run.trace().replica_differences())
    if (each.phase)
      tensors[{each.step, *each.phase}].push_back(&each);
  if (!tensors.empty())
    finding.departures.push_back(tensor_departure(run, tensors.begin()->second));
  if (tensors.size() > 1)
    finding.notes.push_back(fmt::format("replicas differ in {} more phases of steps", tensors.size() - 1));
  add_channels(run, finding);
}

}  // namespace

Finding ask_replicas(const RecordedRun& run) {
  Finding finding;
  finding.checked = run.trace().replicas_compared() - run.trace().replica_settings();
  add_differences(run, finding);
  if (finding.answer() != Answer::not_asked)
    return finding;
  finding.why = run.trace().ranks() > 1          ? "no tensor or result was recorded on several ranks"
                : run.trace().joined_ranks() > 1 ? "the trainer joined the ranks' values itself"
                                                 : "the trace has one rank";
  finding.record = "phases param and grad on every rank, each rank in its own file";
  return finding;
}

}  // namespace parity::laws
