// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/capture_needs.hpp"

#include <algorithm>
#include <set>

namespace parity {

std::vector<int64_t> steps_of(const StepWindow& window, const RunLength& length) {
  int64_t first = 1;
  int64_t last = length.steps;
  switch (window.kind) {
    case StepWindow::Kind::all:
      break;
    case StepWindow::Kind::warmup:
      last = std::min(last, length.warmup_steps);
      break;
    case StepWindow::Kind::after_warmup:
      first = length.warmup_steps + 1;
      break;
    case StepWindow::Kind::last:
      first = length.steps;
      break;
    case StepWindow::Kind::range:
      first = window.first;
      last = std::min(last, window.last);
      break;
  }
  std::vector<int64_t> steps;
  for (int64_t step = first; step <= last; ++step)
    steps.push_back(step);
  return steps;
}

Capture needs_of_check(const Check& check, const RunLength& length) {
  Capture capture;
  if (!check.of_tensors() || check.against == Against::golden)  // a golden has needs of its own
    return capture;
  std::set<int64_t> steps;
  for (const int64_t step : steps_of(check.steps, length)) {
    steps.insert(step);
    if (check.relation == Relation::unchanged)
      steps.insert(step - 1);
    if (check.relation == Relation::lagged && step + check.lag <= length.steps)
      steps.insert(step + check.lag);
  }
  if (steps.empty())
    return capture;  // an empty list would mean every step
  CaptureRule rule{{steps.begin(), steps.end()}, {check.phase}, {check.tensor}};
  const bool measured =
      check.needs_twins() || check.relation == Relation::bounded || check.relation == Relation::no_farther;
  (measured ? capture.tensors : capture.sketches).push_back(std::move(rule));
  return capture;
}

Capture needs_of_golden(const RunLength& length) {
  const std::set<int64_t> steps = {1, length.steps};
  Capture capture;
  capture.sketches.push_back({{steps.begin(), steps.end()}, {Phase::grad, Phase::param}, {"*"}});
  return capture;
}

Capture needs_of_capture(const CaptureSpec& spec) {
  Capture capture;
  capture.replay = spec.replay;
  if (!spec.steps.empty())
    capture.tensors.push_back({spec.steps, spec.phases, spec.names});
  return capture;
}

}  // namespace parity
