// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/logs/compare/coverage.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/logs/channel_names.hpp"
#include "harness/logs/regular_steps.hpp"

namespace parity::logs {
namespace {

using Steps = std::vector<int64_t>;

Steps moved(Steps steps, int64_t shift) {
  for (int64_t& step : steps)
    step += shift;
  return steps;
}

/// Returns the steps from the first to the last that both have.
Steps within(const Steps& steps, int64_t low, int64_t high) {
  return {std::ranges::lower_bound(steps, low), std::ranges::upper_bound(steps, high)};
}

/// Returns the median distance of neighbouring steps; 1 for a single step.
int64_t usual_interval(const Steps& steps) {
  if (steps.size() < 2)
    return 1;
  Steps apart;
  for (size_t i = 1; i < steps.size(); ++i)
    apart.push_back(steps[i] - steps[i - 1]);
  const auto middle = apart.begin() + static_cast<std::ptrdiff_t>(apart.size() / 2);
  std::ranges::nth_element(apart, middle);
  return *middle;
}

/// Returns whether a row's values change. A single pair of values counts.
bool changes(const CurveDifference& row) {
  const compare::Series& curve = row.expected;
  if (curve.size() == 1)
    return true;
  for (size_t i = 1; i < curve.size(); ++i)
    if (curve.widened(i) > curve.widened(0) || curve.widened(i) < curve.widened(0))
      return true;
  return false;
}

}  // namespace

std::string StepCounts::text() const {
  if (all())
    return (common == 1 ? "the only step" : fmt::format("all {} steps", common));
  return fmt::format("{} (the first has {}, the second {})", compare::count_text(common, "common step"),
                     first, second);
}

StepCounts count_steps(const Log& first, const Log& second, int64_t shift) {
  const Steps a = first.steps(), b = moved(second.steps(), shift);
  Steps common;
  std::ranges::set_intersection(a, b, std::back_inserter(common));
  if (common.empty())
    throw UserError(
        fmt::format("the logs have no step in common (the first has steps {} to {}, the second {} to "
                    "{}); compare logs of the same steps",
                    a.front(), a.back(), b.front(), b.back()),
        ExitCode::missing);
  return {common.size(), a.size(), b.size()};
}

std::string length_mismatch(const CurveDifference& row, const LogChannel& first, const LogChannel& second,
                            int64_t shift) {
  const Steps a = first.steps, b = moved(second.steps, shift);
  const int64_t apart = std::max(usual_interval(a), usual_interval(b));
  const int64_t late = row.expected.steps.front() - std::min(a.front(), b.front());
  if (late >= apart)
    return fmt::format(
        "{} of the first begins at step {}, the second's at step {}; --partial compares from step {}",
        escape_to_line(row.name), a.front(), b.front(), row.expected.steps.front());
  const int64_t last = row.expected.steps.back();
  if (std::max(a.back(), b.back()) - last >= apart)
    return fmt::format(
        "{} of the first ends at step {}, the second's at step {}; --partial compares up to step {}",
        escape_to_line(row.name), a.back(), b.back(), last);
  return "";
}

std::string coverage_problem(const CurveDifference& row, const LogChannel& first, const LogChannel& second,
                             int64_t shift) {
  const Steps moved_second = moved(second.steps, shift);
  const int64_t low = std::max(first.steps.front(), moved_second.front());
  const int64_t high = std::min(first.steps.back(), moved_second.back());
  const Steps a = within(first.steps, low, high), b = within(moved_second, low, high);
  const size_t common = row.expected.size();
  if (common == a.size() && common == b.size())
    return "";
  const int64_t interval = std::max(usual_interval(a), usual_interval(b));
  const size_t due = std::max(std::min(a.size(), b.size()), static_cast<size_t>((high - low) / interval + 1));
  const size_t either = a.size() + b.size() - common;
  if (2 * common >= due && (common >= fewest_of_many || 2 * common >= either))
    return "";
  return fmt::format(
      "only {} of {} in both logs, which have {} and {} steps between step {} and {}; --partial accepts that",
      compare::count_text(common, "step"), escape_to_line(row.name) + (common == 1 ? " is" : " are"),
      a.size(), b.size(), low, high);
}

std::string hole_problem(const CurveDifference& row, const LogChannel& first, const LogChannel& second,
                         const std::vector<int64_t>& rows_first, const std::vector<int64_t>& rows_second,
                         int64_t shift) {
  for (const bool in_first : {true, false}) {
    const Steps due =
        in_first ? due_steps(first.steps, rows_first) : moved(due_steps(second.steps, rows_second), shift);
    Steps holes;
    std::ranges::set_intersection(due, in_first ? moved(second.steps, shift) : first.steps,
                                  std::back_inserter(holes));
    if (!holes.empty())
      return fmt::format(
          "{} of the {} log has no value at {} that the log has, first {}, and the other log has "
          "one; --partial accepts that",
          escape_to_line(row.name), in_first ? "first" : "second", compare::count_text(holes.size(), "step"),
          holes.front());
  }
  return "";
}

std::string digits_problem(const std::vector<CurveDifference>& rows, const Log& first, const Log& second) {
  std::optional<PrintedDigits> few;
  std::string of;
  int most = 0;
  for (const CurveDifference& row : rows) {
    if (!is_training_result(row.name))
      continue;
    const int shown = std::min(shown_digits(first.channels.at(row.name).values),
                               shown_digits(second.channels.at(row.name).values));
    const bool rounded = row.coarse && row.coarse->digits.significant < fewest_that_prove;
    if (rounded || (shown > most && most < fewest_that_prove)) {
      few = rounded ? row.coarse->digits : PrintedDigits{shown, 0};
      of = row.name;
    }
    if (rounded)
      break;
    most = std::max(most, shown);
  }
  if (!few || few->significant >= fewest_that_prove)
    return "";
  return fmt::format(
      "{} was printed with {}, and agreement in so few proves too little; --partial accepts it",
      parity::quoted(of), few->text());
}

std::string evidence_problem(const std::vector<CurveDifference>& rows, const ChannelMatch& match,
                             const LogFilter& filter) {
  for (const std::string_view name : training_channels)
    for (const auto* side : {&match.first_only, &match.second_only})
      if (std::ranges::find(*side, name) != side->end())
        return fmt::format(
            "only the {} log has {}; --map {}=THEIRS names it in the other, --channel says what is "
            "enough",
            side == &match.first_only ? "first" : "second", name, name);
  if (!filter.channels.empty())
    return "";
  const auto is_result = [](const CurveDifference& row) { return is_training_result(row.name); };
  if (std::ranges::none_of(rows, is_result))
    return fmt::format(
        "neither log has a loss, and {} can agree without equal training; --map loss=THEIRS names the loss, "
        "--channel says what is enough",
        escape_to_line(compare::list_text(match.common), 200));
  if (std::ranges::none_of(rows, [&](const auto& row) { return is_result(row) && changes(row); }))
    return fmt::format("{} never changes; --channel says what is enough",
                       escape_to_line(std::ranges::find_if(rows, is_result)->name));
  return "";
}

}  // namespace parity::logs
