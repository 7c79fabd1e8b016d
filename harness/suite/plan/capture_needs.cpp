// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/plan/capture_needs.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/compare/relations/routes.hpp"
#include "harness/compare/sides/residues.hpp"
#include "harness/laws/laws.hpp"
#include "harness/trace/format/routes.hpp"

namespace parity::suite {

namespace {

/// Returns the updates that a check over a window reads. `unchanged` also reads the update before the window,
/// `lagged` the updates at its lag.
std::vector<int64_t> steps_read(const compare::Check& check, const StepRange& window,
                                const RunLength& length) {
  const int64_t first = check.relation == compare::Relation::unchanged ? window.first - 1 : window.first;
  const int64_t lag = check.relation == compare::Relation::lagged ? check.lag : 0;
  std::set<int64_t> steps;
  for (int64_t step = first; step <= window.last; ++step)
    steps.insert(step);
  for (int64_t step = window.first; lag != 0 && step <= window.last; ++step)
    if (!length.known || step + lag <= length.steps)
      steps.insert(step + lag);
  return {steps.begin(), steps.end()};
}

void require_few(const compare::Check& check, const StepRange& window) {
  const int64_t asked = window.last - window.first + 1;
  if (asked > most_captured_steps)
    throw UserError(
        fmt::format("cannot capture {} at {} updates (the limit is {}); name fewer with steps = [FIRST, "
                    "LAST] in the check",
                    check.of_tensors()                             ? check.quantity()
                    : check.relation == compare::Relation::repeats ? "every tensor"
                    : check.of_exact_twins()                       ? "residues"
                                                                   : "what laws read",
                    asked, most_captured_steps));
}

/// Returns the laws whose tensors a check of relation `lawful` needs.
std::vector<std::string> recorded_laws(const compare::Check& check) {
  std::vector<std::string> named = check.named_laws();
  return named.empty() ? std::vector<std::string>{"grad_norm", "clip", "update"} : named;
}

/// \param window  not set: every step
trace::Capture needs_of_laws(const compare::Check& check, const std::optional<StepRange>& window) {
  trace::Capture capture;
  for (const std::string& name : recorded_laws(check)) {
    capture.micro_batches = capture.micro_batches || laws::law_of(name).micro_batches;
    for (const laws::LawTensors& wanted : laws::law_of(name).tensors) {
      trace::CaptureRule rule{{}, {wanted.phase}, wanted.names};
      if (window)
        for (int64_t step = window->first - (wanted.before ? 1 : 0);
             step <= window->last - (wanted.itself ? 0 : 1); ++step)
          rule.steps.push_back(step);
      (wanted.values ? capture.tensors : capture.sketches).push_back(std::move(rule));
    }
  }
  return capture;
}

/// Returns what the runs of a check of relation `repeats` record: all that the trainer offers, as digests.
/// \param window  not set: every step
trace::Capture needs_of_repetition(const std::optional<StepRange>& window) {
  trace::CaptureRule rule;
  if (window)
    for (int64_t step = window->first == 1 ? 0 : window->first; step <= window->last; ++step)
      rule.steps.push_back(step);
  trace::Capture capture;
  capture.sketches.push_back(std::move(rule));
  return capture;
}

}  // namespace

StepRange range_of(const compare::StepWindow& window, const RunLength& length) {
  switch (window.kind) {
    case compare::StepWindow::Kind::all:
      break;
    case compare::StepWindow::Kind::warmup:
      return {1, std::min(length.steps, length.warmup_steps)};
    case compare::StepWindow::Kind::after_warmup:
      return {length.warmup_steps + 1, length.steps};
    case compare::StepWindow::Kind::last:
      return {length.steps, length.steps};
    case compare::StepWindow::Kind::range:
      return {window.first, length.known ? std::min(length.steps, window.last) : window.last};
  }
  return {1, length.steps};
}

trace::Capture needs_of_check(const compare::Check& check, const RunLength& length) {
  trace::Capture capture;
  if (check.of_operator) {  // every point; of inputs and of what a backward pass starts from, their digests
    capture.tensors.push_back({{}, check.of_operator->phases, {"*"}});
    capture.sketches.push_back({{}, {trace::Phase::input, trace::Phase::backward}, {"*"}});
    return capture;
  }
  const bool of_laws = check.relation == compare::Relation::lawful;
  const bool of_run = check.relation == compare::Relation::repeats;
  if (check.of_exact_twins())
    return capture;  // needs_of_residues covers exact twins; the arms' own runs need nothing
  if (!of_laws && !of_run && (!check.of_tensors() || check.against == compare::Against::golden))
    return capture;                 // needs_of_golden covers goldens
  std::optional<StepRange> window;  // not set: every step
  if (length.known || check.steps.kind == compare::StepWindow::Kind::range) {
    window = range_of(check.steps, length);
    if (window->empty())
      return capture;
    require_few(check, *window);
  }
  if (of_laws)
    return needs_of_laws(check, window);
  if (of_run)
    return needs_of_repetition(window);
  trace::CaptureRule rule{{}, {check.phase}, {check.tensor}};
  if (window)
    rule.steps = steps_read(check, *window, length);
  const bool measured = check.needs_twins() || check.relation == compare::Relation::bounded ||
                        check.relation == compare::Relation::no_farther || compare::is_of_routes(check);
  (measured ? capture.tensors : capture.sketches).push_back(std::move(rule));
  return capture;
}

trace::Capture needs_of_residues(const compare::Check& check, const RunLength& length) {
  const StepRange window = range_of(check.steps, length);
  require_few(check, window);
  trace::CaptureRule rule{{}, {compare::residue_phases.begin(), compare::residue_phases.end()}, {"*"}};
  for (int64_t step = window.first; step <= window.last; ++step)
    rule.steps.push_back(step);
  trace::Capture capture;
  capture.tensors.push_back({{window.first}, {trace::Phase::grad, trace::Phase::param}, {"*norm*"}});
  capture.sketches.push_back(std::move(rule));
  return capture;
}

trace::Capture needs_of_interrupted(const RunLength& length) {
  trace::CaptureRule rule{{}, {trace::Phase::input, trace::Phase::optim, trace::Phase::param}, {"*"}};
  trace::Capture capture;
  capture.sketches.push_back(rule);
  rule.steps = {length.steps};
  if (length.known)
    capture.tensors.push_back(std::move(rule));
  return capture;
}

trace::Capture needs_of_golden(const RunLength& length) {
  const std::set<int64_t> steps = {1, length.steps};
  trace::Capture capture;
  capture.sketches.push_back(
      {{steps.begin(), steps.end()}, {trace::Phase::grad, trace::Phase::param}, {"*"}});
  return capture;
}

trace::Capture needs_of_replicas(const RunLength& length) {
  trace::CaptureRule rule{{}, {trace::Phase::param}, {"*"}};
  if (length.known)
    rule.steps = {length.steps};
  trace::Capture capture;
  capture.sketches.push_back(std::move(rule));
  return capture;
}

trace::Capture needs_of_replay() {
  trace::Capture capture;
  capture.tensors.push_back({{}, {trace::Phase::input}, {std::string(trace::routes_glob)}});
  return capture;
}

trace::Capture needs_of_capture(const CaptureSpec& spec) {
  trace::Capture capture;
  capture.replay = spec.replay;
  if (spec.steps.size() > static_cast<size_t>(most_captured_steps))
    throw UserError(fmt::format(
        "cannot capture tensors at {} updates (the limit is {}); name fewer in steps of [capture]",
        spec.steps.size(), most_captured_steps));
  if (!spec.steps.empty())
    capture.tensors.push_back({spec.steps, spec.phases, spec.names});
  return capture;
}

}  // namespace parity::suite
