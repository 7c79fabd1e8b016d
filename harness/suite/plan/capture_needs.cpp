// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/plan/capture_needs.hpp"

#include <algorithm>
#include <set>
#include <string>

#include <fmt/format.h>

#include "harness/base/error.hpp"

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
        fmt::format("cannot capture {} {} at {} updates (the limit is {}); name fewer with steps = [FIRST, "
                    "LAST] in the check",
                    name_of(check.phase), check.tensor, asked, most_captured_steps));
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
  if (!check.of_tensors() || check.against == compare::Against::golden)  // needs_of_golden covers goldens
    return capture;
  trace::CaptureRule rule{{}, {check.phase}, {check.tensor}};  // no steps: every step
  if (length.known || check.steps.kind == compare::StepWindow::Kind::range) {
    const StepRange window = range_of(check.steps, length);
    if (window.empty())
      return capture;
    require_few(check, window);
    rule.steps = steps_read(check, window, length);
  }
  const bool measured = check.needs_twins() || check.relation == compare::Relation::bounded ||
                        check.relation == compare::Relation::no_farther;
  (measured ? capture.tensors : capture.sketches).push_back(std::move(rule));
  return capture;
}

trace::Capture needs_of_golden(const RunLength& length) {
  const std::set<int64_t> steps = {1, length.steps};
  trace::Capture capture;
  capture.sketches.push_back(
      {{steps.begin(), steps.end()}, {trace::Phase::grad, trace::Phase::param}, {"*"}});
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
