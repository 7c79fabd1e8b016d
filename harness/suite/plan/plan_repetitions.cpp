// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Further runs of an arm that do the same: repetitions, and runs that record one update in full.
#include <algorithm>

#include <fmt/format.h>

#include "harness/base/enum_names.hpp"
#include "harness/base/processes/cores.hpp"
#include "harness/suite/plan/plan.hpp"

namespace parity::suite {
namespace {

/// Lets a further run of a run that wrote checkpoints resume from the last one before an update, and end with
/// that update.
void resume_before(PlannedRun& run, const std::string& from, int64_t update) {
  const RunSpan& span = run.span;
  if (span.checkpoint_every < 1 || !span.start_run.empty() || run.is_command())
    return;
  const int64_t start = (update - 1) / span.checkpoint_every * span.checkpoint_every;
  run.span = {std::min(update, run.last_step()), 0, start > 0 ? from : "", start, ""};
}

}  // namespace

/// Returns a run of an arm that is another run although it does the same.
PlannedRun Plan::again(const PlannedArm& arm, const PlannedRepetition& which) const {
  PlannedRun run = runs_.at(arm.run);
  Json identity = parse_json(run.identity);
  identity["repeat"] = which.number;
  run.repetition = which.number;
  run.under = which.under;
  run.label += ", again";
  if (which.under != compare::Condition::none) {
    identity["under"] = name_of(which.under);
    run.label += fmt::format(" under {}", name_of(which.under));
  }
  if (which.under == compare::Condition::threads) {
    run.threads += static_cast<int>(which.number);
    run.config["threads"] = run.threads;
  }
  run.identity = json_text(identity);
  return run;
}

void Plan::add_repetitions(PlannedCase& planned) {
  for (const compare::Check& check : planned.source.checks) {
    if (check.relation != compare::Relation::repeats)
      continue;
    PlannedArm& place = planned.arm(check.arms.front());
    for (int64_t number = 1; number < check.times; ++number) {
      PlannedRepetition which{"", check.under, number};
      which.id = plan_repetition(planned, place.name, which);
      ask_for(which.id);
      if (std::ranges::find(place.repetitions, which.id, &PlannedRepetition::id) == place.repetitions.end())
        place.repetitions.push_back(std::move(which));
    }
  }
}

std::string Plan::plan_repetition(PlannedCase& planned, const std::string& arm,
                                  const PlannedRepetition& which, const std::vector<trace::Fault>& planted) {
  PlannedRun run = again(planned.arm(arm), which);
  if (!planted.empty()) {
    Json identity = parse_json(run.identity);
    identity["faults"] = trace::to_json(planted);
    run.identity = json_text(identity);
    run.capture.faults = planted;
  }
  return keep(std::move(run));
}

std::vector<std::string> Plan::add_repeat(PlannedCase& planned, const std::string& arm) {
  const size_t before = order_.size();
  PlannedArm& place = planned.arm(arm);
  place.repeat = keep(again(place, {}));
  ask_for(place.repeat);
  return {order_.begin() + static_cast<std::ptrdiff_t>(before), order_.end()};
}

std::vector<std::string> Plan::add_watched(PlannedCase& planned, const RunToWatch& wanted) {
  const size_t before = order_.size();
  PlannedArm& place = planned.arm(wanted.arm);
  PlannedRun run = again(place, {"", wanted.under, wanted.number});
  Json identity = parse_json(run.identity);
  identity["watched"] = place.watched.size();
  run.elsewhere = wanted.elsewhere && run.threads < core_count();  // else there are no other cores
  run.identity = json_text(identity);
  const bool elsewhere = run.elsewhere;
  const int64_t update = wanted.update;
  trace::Capture capture;
  capture.sketches = {{{}, {trace::Phase::optim, trace::Phase::param}, {}},
                      {update == 1 ? std::vector<int64_t>{0, 1} : std::vector<int64_t>{update}, {}, {}}};
  capture.operators = {{{update}, {}, {}}};
  resume_before(run, place.run, update);
  if (wanted.values)
    capture.tensors = {{{wanted.values->step}, {wanted.values->phase}, {wanted.values->name}}};
  run.capture.merge(capture);
  place.watched.push_back({keep(std::move(run)), update, wanted.under, elsewhere});
  ask_for(place.watched.back().id);
  return {order_.begin() + static_cast<std::ptrdiff_t>(before), order_.end()};
}

}  // namespace parity::suite
