// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/repeats.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/base/enum_names.hpp"
#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/suite/results/compare_traces.hpp"

namespace parity::suite {
namespace {

bool is_blamed(const JudgedCheck& check) {
  return check.kind == results::CheckKind::golden && !check.result.passed &&
         check.result.verdict == compare::Verdict::different && check.claim.arms.size() == 1;
}

/// The first quantity in which two runs differ.
struct Divergence {
  int64_t step = 0;
  std::string words;  ///< "grad wq at step 3"; "" if only their lengths differ
};

/// Returns the earliest quantity that differs; of one step, tensors in order of computation come first.
Divergence first_divergence(const TraceDifference& difference) {
  Divergence first;
  const auto offer = [&](int64_t at, const std::string& words) {
    if (first.words.empty() || at < first.step)
      first = {at, words};
  };
  for (const TensorDifference& row : difference.tensors)
    if (!row.identical())
      offer(row.key.step,
            fmt::format("{} {} at step {}", name_of(row.key.phase), row.key.name, row.key.step));
  for (const ChannelDifference& row : difference.channels)
    if (!row.identical() && row.difference.first) {
      const int64_t at = row.steps.at(*row.difference.first);
      offer(at, fmt::format("{} at step {}", row.name, at));
    }
  for (const RankDifference& row : difference.ranks.differences)
    offer(row.step, row.text());
  first.words = escape_to_line(first.words, 200);
  return first;
}

/// Returns where two runs differ; nothing if they agree in all that both recorded.
/// \throws UserError if a trace cannot be read
std::optional<Divergence> divergence(const RunStore& store, const std::string& one,
                                     const std::string& other) {
  TraceFilter filter;
  filter.partial = true;  // of two traces that ended, it changes nothing
  const TraceDifference difference =
      compare_traces(trace::Trace::open(store.trace(one)), trace::Trace::open(store.trace(other)), filter);
  return difference.agrees() ? std::nullopt : std::optional(first_divergence(difference));
}

/// Returns the update that shows a difference. Initial weights belong to the first.
int64_t update_of(const Divergence& at) {
  return std::max<int64_t>(at.step, 1);
}

/// What the watched runs of an arm show.
struct Watched {
  std::optional<Divergence> first;  ///< the earliest difference of any two that recorded the same
  const WatchedRun* one = nullptr;  ///< two that differ first at the update that both recorded; null: none
  const WatchedRun* other = nullptr;
};

Watched compare_watched(const PlannedArm& arm, const RunStore& store) {
  Watched found;
  for (size_t i = 0; i < arm.watched.size(); ++i)
    for (size_t j = 0; j < i && found.one == nullptr; ++j) {
      const WatchedRun &one = arm.watched[j], &other = arm.watched[i];
      const auto here = one.update == other.update ? divergence(store, one.id, other.id) : std::nullopt;
      if (!here || here->words.empty())
        continue;
      if (!found.first || here->step < found.first->step)
        found.first = here;
      if (update_of(*here) == one.update)
        found.one = &one, found.other = &other;
    }
  return found;
}

const RunResult* failed_run(const PlannedArm& arm, const std::map<std::string, RunResult>& runs) {
  for (const WatchedRun& each : arm.watched)
    if (runs.at(each.id).failure)
      return &runs.at(each.id);
  return nullptr;
}

/// Returns what the watched runs show, to append to a sentence; "" if there are none.
std::string describe_watched(const PlannedArm& arm, const std::map<std::string, RunResult>& runs,
                             const RunStore& store, const UpdateComparison& compare) {
  if (arm.watched.empty() || !compare)
    return "";
  if (const RunResult* failed = failed_run(arm, runs))
    return "; a further run failed: " + escape_to_line(failed->failure->message, 200);
  const std::string tries = fmt::format("{} further runs", arm.watched.size());
  const Watched found = compare_watched(arm, store);
  if (!found.first)
    return fmt::format("; the difference did not show again in {} that recorded the operators of update {}",
                       tries, arm.watched.back().update);
  if (found.one == nullptr)
    return fmt::format("; {} differ first in {}, where no two of them recorded operators", tries,
                       found.first->words);
  const std::string words = compare(trace::Trace::open(store.trace(found.one->id)),
                                    trace::Trace::open(store.trace(found.other->id)), found.one->update);
  return fmt::format("; two further runs that recorded update {} differ first in {}", found.one->update,
                     words.empty() ? found.first->words : escape_to_line(words, 400));
}

/// Returns what further runs of an arm show, in a sentence without a full stop.
std::string describe_repeat(const PlannedArm& arm, const std::map<std::string, RunResult>& runs,
                            const RunStore& store, const UpdateComparison& compare) {
  if (const auto& failure = runs.at(arm.repeat).failure)
    return fmt::format("a second run of {} failed: {}", arm.name, escape_to_line(failure->message, 200));
  try {
    const std::optional<Divergence> first = divergence(store, arm.run, arm.repeat);
    if (!first)
      return fmt::format("a second run of {} has the same bits", arm.name);
    return fmt::format(
        "{} does not repeat itself, so the golden cannot judge it: a second run differs first in {}{}",
        arm.name, first->words.empty() ? "its length" : first->words,
        describe_watched(arm, runs, store, compare));
  } catch (const UserError& error) {
    return fmt::format("a second run of {} cannot be compared: {}", arm.name, error.what());
  }
}

/// Returns the update that the next watched run of an arm records; nothing if there is no next one.
std::optional<int64_t> next_update(const PlannedArm& arm, const RunStore& store) {
  if (arm.watched.empty()) {
    const auto first = divergence(store, arm.run, arm.repeat);
    return first && !first->words.empty() ? std::optional(update_of(*first)) : std::nullopt;
  }
  const Watched found = compare_watched(arm, store);
  if (found.one != nullptr || arm.watched.size() == most_watched)
    return std::nullopt;
  return found.first ? update_of(*found.first) : arm.watched.back().update;
}

}  // namespace

std::string arm_to_repeat(const PlannedCase& planned, const std::vector<JudgedCheck>& judged) {
  if (std::ranges::any_of(planned.arms, [](const PlannedArm& arm) { return !arm.repeat.empty(); }))
    return "";
  const auto blamed = std::ranges::find_if(judged, is_blamed);
  return blamed == judged.end() ? "" : blamed->claim.arms.front();
}

std::optional<RunToWatch> run_to_watch(const PlannedCase& planned,
                                       const std::map<std::string, RunResult>& runs, const RunStore& store) {
  for (const PlannedArm& arm : planned.arms) {
    if (arm.repeat.empty() || runs.at(arm.repeat).failure || failed_run(arm, runs) != nullptr)
      continue;
    try {
      if (const auto update = next_update(arm, store))
        return RunToWatch{arm.name, *update};
    } catch (const UserError&) {
      return std::nullopt;  // describe_repeats() names the trace that cannot be read
    }
  }
  return std::nullopt;
}

void describe_repeats(std::vector<JudgedCheck>& judged, const PlannedCase& planned,
                      const std::map<std::string, RunResult>& runs, const RunStore& store,
                      const UpdateComparison& compare) {
  for (const PlannedArm& arm : planned.arms) {
    if (arm.repeat.empty())
      continue;
    const std::string words = describe_repeat(arm, runs, store, compare);
    for (JudgedCheck& check : judged)
      if (is_blamed(check) && check.claim.arms.front() == arm.name)
        check.result.sentence += "; " + words;
  }
}

}  // namespace parity::suite
