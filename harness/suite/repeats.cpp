// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/repeats.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/base/enum_names.hpp"
#include "harness/base/error.hpp"
#include "harness/base/processes/cores.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/compare/traces/collectives.hpp"
#include "harness/compare/traces/divergence_bits.hpp"
#include "harness/suite/repeat_pair.hpp"
#include "harness/suite/runs/conditions.hpp"

namespace parity::suite {
namespace {

bool is_blamed(const JudgedCheck& check) {
  return check.kind == results::CheckKind::golden && !check.result.passed &&
         check.result.verdict == compare::Verdict::different && check.claim.arms.size() == 1;
}

std::string words_of(const compare::FirstDivergence& at) {
  return at.name.empty() ? "its length" : at.text();
}

const RunResult* failed_run(const PlannedArm& arm, const std::map<std::string, RunResult>& runs) {
  for (const WatchedRun& each : arm.watched)
    if (runs.at(each.id).failure)
      return &runs.at(each.id);
  return nullptr;
}

/// Returns the two runs of an arm that differ: of a golden check, or of a check of repetitions.
std::optional<RepeatPair> pair_of(const PlannedArm& arm, const std::vector<JudgedCheck>& judged,
                                  const std::map<std::string, RunResult>& runs, const RunStore& store) {
  if (!arm.repeat.empty() && !runs.at(arm.repeat).failure && divergence(store, arm.run, arm.repeat))
    return RepeatPair{arm.run, arm.repeat, compare::Condition::none, 1};
  for (const JudgedCheck& check : judged)
    if (found_other_bits(check) && check.claim.arms.front() == arm.name)
      if (auto pair = odd_repetition(arm, check, runs, store))
        return pair;
  return std::nullopt;
}

/// What the watched runs of an arm show, in words.
struct WatchedWords {
  std::string text;     ///< to append to a sentence; "" if there are none
  std::string op = {};  ///< the operator that gives another result from the same inputs; "": none
};

WatchedWords describe_watched(const PlannedArm& arm, const std::map<std::string, RunResult>& runs,
                              const RunStore& store, const UpdateComparison& compare) {
  if (arm.watched.empty() || !compare)
    return {};
  if (const RunResult* failed = failed_run(arm, runs))
    return {"; a further run failed: " + escape_to_line(failed->failure->message, 200)};
  const std::string tries = fmt::format("{} further runs", arm.watched.size());
  const Watched found = compare_watched(arm, store);
  if (!found.first)
    return {fmt::format("; the difference did not show again in {} that recorded the operators of update {}",
                        tries, arm.watched.back().update)};
  if (found.one == nullptr)
    return {fmt::format("; {} differ first in {}, where no two of them recorded operators", tries,
                        found.first->text())};
  const UpdateDifference difference =
      compare(trace::Trace::open(store.trace(found.one->id)),
              trace::Trace::open(store.trace(found.other->id)), found.one->update);
  return {fmt::format("; two further runs that recorded update {} differ first in {}", found.one->update,
                      difference.text.empty() ? found.first->text() : escape_to_line(difference.text, 400)),
          difference.op};
}

/// Returns what further runs of a golden's arm show, in a sentence without a full stop.
std::string describe_repeat(const PlannedArm& arm, const std::map<std::string, RunResult>& runs,
                            const RunStore& store, const UpdateComparison& compare) {
  if (const auto& failure = runs.at(arm.repeat).failure)
    return fmt::format("a second run of {} failed: {}", arm.name, escape_to_line(failure->message, 200));
  try {
    const auto first = divergence(store, arm.run, arm.repeat);
    if (!first)
      return fmt::format("a second run of {} has the same bits", arm.name);
    return fmt::format(
        "{} does not repeat itself, so the golden cannot judge it: a second run differs first in {}{}",
        arm.name, words_of(*first), describe_watched(arm, runs, store, compare).text);
  } catch (const UserError& error) {
    return fmt::format("a second run of {} cannot be compared: {}", arm.name, error.what());
  }
}

/// Returns the bits that flipped in the first tensor, by the values that a further run recorded; "" if none
/// shows them.
std::string describe_bits(const PlannedArm& arm, const RepeatPair& pair,
                          const compare::FirstDivergence& first, const RunStore& store) {
  const trace::Trace usual = trace::Trace::open(store.trace(pair.usual)),
                     odd = trace::Trace::open(store.trace(pair.odd));
  if (divergence_bits(first, usual, odd))
    return "";  // the check's own sentence has them
  for (const WatchedRun& each : arm.watched) {
    const trace::Trace again = trace::Trace::open(store.trace(each.id));
    for (const trace::Trace* known : {&usual, &odd})
      if (const auto bits = divergence_bits(first, again, *known))
        return fmt::format("; by the values of a further run, {} {}: {}", name_of(*first.phase),
                           escape_to_line(first.name, 200), bits->text());
  }
  const Watched found = compare_watched(arm, store);
  const auto bits = found.one == nullptr
                        ? std::nullopt
                        : divergence_bits(first, trace::Trace::open(store.trace(found.one->id)),
                                          trace::Trace::open(store.trace(found.other->id)));
  return bits ? fmt::format("; between two further runs, {} {} differs in {}", name_of(*first.phase),
                            escape_to_line(first.name, 200), bits->text())
              : "";
}

/// Classifies what a check of repetitions found, and names the operator.
void add_recurrence(compare::CheckResult& result, const PlannedArm& arm, const RepeatPair& pair, int64_t step,
                    const RunStore& store, const std::string& op) {
  const std::vector<compare::Rerun> reruns = reruns_of(arm, pair, step, store);
  compare::Recurrence recurrence = classify(reruns, pair.under == compare::Condition::none);
  const std::string_view reason = compare::reason_not_deterministic(op);
  if (recurrence == compare::Recurrence::nondeterministic && !reason.empty())
    recurrence = compare::Recurrence::by_design;
  result.measured["recurrence"] = name_of(recurrence);
  result.looks_like = describe(recurrence, reruns);
  if (recurrence == compare::Recurrence::persistent_everywhere)
    result.looks_like += fmt::format("; {}", row_of(pair.under).cause);
  if (!reason.empty())
    result.looks_like += fmt::format("; {}: {}", op, reason);
}

void describe_repetitions(JudgedCheck& check, const PlannedArm& arm,
                          const std::map<std::string, RunResult>& runs, const RunStore& store,
                          const UpdateComparison& compare) {
  try {
    const auto pair = odd_repetition(arm, check, runs, store);
    const auto first = pair ? divergence(store, pair->usual, pair->odd) : std::nullopt;
    if (!first)
      return;
    if (const auto wire = compare::find_wire_or_compute(trace::Trace::open(store.trace(pair->usual)),
                                                        trace::Trace::open(store.trace(pair->odd))))
      check.result.sentence += "; " + wire->text();
    if (failed_run(arm, runs) == nullptr && !arm.watched.empty())
      check.result.sentence += describe_bits(arm, *pair, *first, store);
    const WatchedWords watched = describe_watched(arm, runs, store, compare);
    check.result.sentence += watched.text;
    if (failed_run(arm, runs) == nullptr)
      add_recurrence(check.result, arm, *pair, first->step, store, watched.op);
  } catch (const UserError& error) {
    check.result.sentence += fmt::format("; further runs cannot be compared: {}", error.what());
  }
}

/// Returns whether one more run, on other cores, tells a fault of this place from one of every place: every
/// run under the condition has had the other bits so far.
bool wants_elsewhere(const PlannedArm& arm, const RepeatPair& pair, int64_t step, const RunStore& store) {
  if (pair.under == compare::Condition::none || core_count() < 2)
    return false;
  const std::vector<compare::Rerun> reruns = reruns_of(arm, pair, step, store);
  return std::ranges::none_of(reruns, &compare::Rerun::elsewhere) &&
         classify(reruns, false) == compare::Recurrence::persistent_here;
}

/// Returns the next watched run of an arm; nothing if there is none.
std::optional<RunToWatch> next_run(const PlannedArm& arm, const RepeatPair& pair, const RunStore& store) {
  const auto first = divergence(store, pair.usual, pair.odd);
  if (!first || first->name.empty())
    return std::nullopt;
  RunToWatch next{arm.name, update_of(*first), pair.under, pair.number, false, first->key()};
  if (arm.watched.empty())
    return next;
  const Watched found = compare_watched(arm, store);
  if (found.one != nullptr || arm.watched.size() >= most_watched) {
    next.elsewhere = wants_elsewhere(arm, pair, first->step, store);
    return next.elsewhere && arm.watched.size() <= most_watched ? std::optional(next) : std::nullopt;
  }
  next.update = found.first ? update_of(*found.first) : arm.watched.back().update;
  if (pair.under != compare::Condition::none && arm.watched.size() % 2 == 1)
    next.under = compare::Condition::none;
  return next;
}

}  // namespace

std::string arm_to_repeat(const PlannedCase& planned, const std::vector<JudgedCheck>& judged) {
  if (std::ranges::any_of(planned.arms, [](const PlannedArm& arm) { return !arm.repeat.empty(); }))
    return "";
  const auto first = std::ranges::find_if(judged, is_blamed);
  return first == judged.end() ? "" : first->claim.arms.front();
}

std::optional<RunToWatch> run_to_watch(const PlannedCase& planned, const std::vector<JudgedCheck>& judged,
                                       const std::map<std::string, RunResult>& runs, const RunStore& store) {
  for (const PlannedArm& arm : planned.arms) {
    if (failed_run(arm, runs) != nullptr)
      continue;
    try {
      if (const auto pair = pair_of(arm, judged, runs, store))
        if (auto next = next_run(arm, *pair, store))
          return next;
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
    const std::string words = arm.repeat.empty() ? "" : describe_repeat(arm, runs, store, compare);
    for (JudgedCheck& check : judged) {
      if (!words.empty() && is_blamed(check) && check.claim.arms.front() == arm.name)
        check.result.sentence += "; " + words;
      if (found_other_bits(check) && check.claim.arms.front() == arm.name)
        describe_repetitions(check, arm, runs, store, compare);
    }
  }
}

}  // namespace parity::suite
