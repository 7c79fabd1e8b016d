// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/window.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "harness/compare/wording.hpp"

namespace parity {
namespace {

std::set<int64_t> recorded_steps(const std::vector<Side>& sides) {
  std::set<int64_t> steps;
  for (const Side& side : sides)
    steps.insert(side.trace->steps().begin(), side.trace->steps().end());
  steps.erase(0);  // the initial state is no update
  return steps;
}

}  // namespace

std::string window_text(const StepWindow& window) {
  if (window.kind != StepWindow::Kind::range)
    return std::string(name_of(window.kind));
  return window.first == window.last ? fmt::format("step {}", window.first)
                                     : fmt::format("steps {}-{}", window.first, window.last);
}

ResolvedWindow resolve(const StepWindow& window, const std::vector<Side>& sides) {
  const std::set<int64_t> steps = recorded_steps(sides);
  if (steps.empty())
    throw MissingEvidence("no update was recorded: the traces have no steps");
  const int64_t begin = *steps.begin();
  const int64_t end = *steps.rbegin();
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
            fmt::format("the window {} lies outside the run (its updates are {} to {}); mend the "
                        "check's steps or run for longer",
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
  std::vector<int64_t> inside;
  for (const int64_t step : recorded_steps(sides))
    if (window.contains(step))
      inside.push_back(step);
  if (inside.empty())
    throw MissingEvidence(fmt::format("no update between {} and {} was recorded", window.first, window.last));
  return inside;
}

}  // namespace parity
