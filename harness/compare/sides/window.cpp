// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/sides/window.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/compare/text/wording.hpp"

namespace parity::compare {
StepSet asked_updates(const std::vector<Side>& sides) {
  StepSet steps;
  for (const Side& side : sides) {
    if (side.updates.known()) {
      steps.add(side.updates.first, side.updates.last);
      continue;
    }
    for (const int64_t step : side.trace->steps())
      if (step > 0)  // the initial state is not an update
        steps.add(step);
  }
  if (steps.empty())
    throw MissingEvidence("no update was recorded: the traces have no steps");
  return steps;
}

ResolvedWindow updates_of(const std::vector<Side>& sides) {
  const StepSet steps = asked_updates(sides);
  return {steps.ranges().front().first, steps.ranges().back().second};
}

std::string window_text(const StepWindow& window) {
  if (window.kind != StepWindow::Kind::range)
    return std::string(name_of(window.kind));
  return window.first == window.last ? fmt::format("step {}", window.first)
                                     : fmt::format("steps {}-{}", window.first, window.last);
}

ResolvedWindow resolve(const StepWindow& window, const std::vector<Side>& sides) {
  const auto [begin, end] = updates_of(sides);
  const auto [least, most] =
      std::minmax_element(sides.begin(), sides.end(),
                          [](const Side& a, const Side& b) { return a.warmup_steps < b.warmup_steps; });
  ResolvedWindow resolved{begin, end};
  switch (window.kind) {
    case StepWindow::Kind::all:
      break;
    case StepWindow::Kind::warmup:
      resolved.last = std::min(end, least->warmup_steps);
      break;
    case StepWindow::Kind::after_warmup:
      resolved.first = std::max(begin, most->warmup_steps + 1);
      break;
    case StepWindow::Kind::last:
      resolved.first = end;
      break;
    case StepWindow::Kind::range:
      resolved = {window.first, window.last};
      if (resolved.last > end || (resolved.first < begin && resolved.first != 0))
        throw MissingEvidence(
            fmt::format("the window {} is outside the run (its updates are {} to {}); correct the steps of "
                        "the check, or run longer",
                        window_text(window), begin, end));
      break;
  }
  if (resolved.first > resolved.last)
    throw MissingEvidence(fmt::format(
        "the window '{}' is empty (the run has updates {} to {}, its warm-up takes {})", window_text(window),
        begin, end,
        window.kind == StepWindow::Kind::after_warmup ? most->warmup_steps : least->warmup_steps));
  return resolved;
}

std::vector<int64_t> steps_in(const ResolvedWindow& window, const std::vector<Side>& sides) {
  StepSet wanted;
  wanted.add(window.first, window.last);
  const StepSet asked = asked_updates(sides).common(wanted);
  std::vector<int64_t> inside;
  for (const auto& [first, last] : asked.ranges())
    for (int64_t step = first; step <= last; ++step)
      inside.push_back(step);
  if (inside.empty())
    throw MissingEvidence(fmt::format("no update between {} and {} was recorded", window.first, window.last));
  return inside;
}

}  // namespace parity::compare
