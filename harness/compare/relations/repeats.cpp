// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "harness/compare/relations/relation.hpp"
#include "harness/compare/sides/asked.hpp"
#include "harness/compare/sides/window.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/compare/traces/compare_traces.hpp"
#include "harness/compare/traces/divergence_bits.hpp"
#include "harness/compare/traces/first_divergence.hpp"
#include "harness/compare/traces/not_a_number.hpp"

namespace parity::compare {
namespace {

TraceDifference difference_of(const Side& one, const Side& other) {
  return compare_traces(*one.trace, *other.trace, {});
}

/// Returns the runs by their bits: the first run of each group differs from the first of every other.
std::vector<std::vector<size_t>> groups_of(const std::vector<Side>& runs) {
  std::vector<std::vector<size_t>> groups;
  for (size_t i = 0; i < runs.size(); ++i) {
    const auto same = std::ranges::find_if(groups, [&](const std::vector<size_t>& group) {
      return difference_of(runs[group.front()], runs[i]).agrees();
    });
    if (same != groups.end())
      same->push_back(i);
    else
      groups.push_back({i});
  }
  return groups;
}

/// Returns the group that the others are compared with. Under a condition it is that of the arm's own run,
/// else the largest, so that the odd one of three runs is named, whichever it is.
size_t usual_group(const Check& check, const std::vector<std::vector<size_t>>& groups) {
  if (check.under != Condition::none)
    return 0;
  const auto largest = std::ranges::max_element(groups, {}, &std::vector<size_t>::size);
  return static_cast<size_t>(largest - groups.begin());
}

/// Returns "run 2" or "runs 1 and 3", counted from 1.
std::string runs_text(const std::vector<size_t>& runs) {
  std::vector<std::string> numbers;
  for (const size_t run : runs)
    numbers.push_back(std::to_string(run + 1));
  return (runs.size() == 1 ? "run " : "runs ") + list_text(numbers);
}

std::string condition_text(const Check& check) {
  return check.under == Condition::none ? "" : fmt::format(" under {}", name_of(check.under));
}

std::vector<std::string> timing_channels(const std::vector<Side>& sides) {
  std::vector<std::string> names;
  for (const auto& [name, channel] : sides.front().trace->channels())
    if (channel.kind == trace::ChannelKind::timing)
      names.push_back(name);
  return names;
}

/// Returns which records of the runs are not compared, since they never repeat.
std::string describe_left_out(const std::vector<Side>& sides) {
  std::vector<std::string> names = timing_channels(sides);
  names.insert(names.begin(), "provenance");
  return fmt::format("{} {} not compared", list_text(names), names.size() == 1 ? "is" : "are");
}

/// Returns "9 channels and 120 tensors" of a comparison.
std::string describe_amount(const TraceDifference& difference) {
  return fmt::format(
      "{} and {}", count_text(difference.channels.size(), "channel"),
      difference.tensors.empty() ? "no tensor" : count_text(difference.tensors.size(), "recorded tensor"));
}

/// Returns how the first run of an odd group differs from the usual runs.
std::string describe_group(const std::vector<Side>& sides, const std::vector<size_t>& usual,
                           const std::vector<size_t>& odd, const TraceDifference& difference,
                           const FirstDivergence& first) {
  const trace::Trace &expected = *sides[usual.front()].trace, &actual = *sides[odd.front()].trace;
  std::string text = fmt::format("{} {} from {}", runs_text(odd),
                                 odd.size() == 1 ? "differs" : "differ alike", runs_text(usual));
  if (first.name.empty())
    return text + " in length: " + difference.mismatch;
  text += ", first in " + first.text();
  const std::string more = describe_divergence(first, difference, expected, actual);
  return more.empty() ? text : text + ": " + more;
}

CheckResult differing(const Check& check, const std::vector<Side>& sides,
                      const std::vector<std::vector<size_t>>& groups) {
  const size_t usual = usual_group(check, groups);
  CheckResult result;
  result.verdict = Verdict::different;
  size_t odd_runs = 0;
  for (size_t i = 0; i < groups.size(); ++i) {
    if (i == usual)
      continue;
    odd_runs += groups[i].size();
    const Side &one = sides[groups[usual].front()], &other = sides[groups[i].front()];
    const TraceDifference difference = difference_of(one, other);
    const FirstDivergence first =
        first_divergence(difference, *one.trace, *other.trace).value_or(FirstDivergence{});
    const std::string text = describe_group(sides, groups[usual], groups[i], difference, first);
    if (result.worst) {
      result.more.push_back(text);
      continue;
    }
    const auto bits = divergence_bits(first, *one.trace, *other.trace);
    result.sentence = fmt::format("{}{} does not repeat itself: of {} runs, {}", sides.front().name,
                                  condition_text(check), sides.size(), text);
    result.worst = WorstPlace{.step = first.step,
                              .quantity = first.name,
                              .index = {},
                              .rank = first.rank,
                              .expected = std::nullopt,
                              .actual = std::nullopt,
                              .metric = bits ? "elements" : "runs_differing",
                              .value = bits ? static_cast<double>(bits->elements) : 1,
                              .limit = 0};
  }
  result.measured["runs_differing"] = odd_runs;
  return result;
}

/// Returns what two runs have in common that was compared, for the proof that nothing was left out.
Covered compared_by(const TraceDifference& difference) {
  Covered compared;
  for (const ChannelDifference& row : difference.channels)
    if (row.mismatch.empty())
      for (const int64_t step : row.steps)
        compared[quantity_of_channel(row.name)].add(step);
  for (const TensorDifference& row : difference.tensors)
    if (row.mismatch.empty())
      compared[quantity_of(row.key)].add(row.key.step);
  return compared;
}

/// Requires that every run made the updates that it was started for, and that the window lies in the run.
/// \throws MissingEvidence otherwise
void require_updates(const Check& check, const std::vector<Side>& sides) {
  static_cast<void>(resolve(check.steps, sides));
  const StepSet asked = asked_updates(sides);
  for (const Side& side : sides)
    if (const StepSet lacking = asked.without(StepSet(side.trace->steps())); !lacking.empty())
      throw MissingEvidence(fmt::format("{} has no update at {}", side.name, lacking.text()));
}

}  // namespace

CheckResult judge_repeats(const Check& check, const std::vector<Side>& sides) {
  if (!check.channels.empty() || check.of_tensors())
    throw MissingEvidence("repeats is about a run as a whole; name no channel and no tensor");
  if (sides.size() < 2 || static_cast<int64_t>(sides.size()) != check.times)
    throw MissingEvidence(fmt::format("{} ran {} of {} times{}; a run alone cannot differ from itself",
                                      sides.front().name, sides.size(), check.times, condition_text(check)));
  require_updates(check, sides);
  if (const std::string place = describe_not_a_number(*sides.front().trace); !place.empty())
    throw MissingEvidence(
        fmt::format("{} of {}, and NaN equals nothing, so nobody can say whether the run repeats", place,
                    sides.front().name));
  const std::vector<std::vector<size_t>> groups = groups_of(sides);
  const TraceDifference last = difference_of(sides.front(), sides.back());
  CheckResult result;
  if (groups.size() > 1) {
    result = differing(check, sides, groups);
  } else {
    result.passed = true;
    result.verdict = Verdict::identical;
    result.measured["runs_differing"] = 0;
    const int64_t ranks = ranks_of(*sides.front().trace);
    result.sentence =
        fmt::format("{} runs of {}{} have the same bits in {}{}; {}", sides.size(), sides.front().name,
                    condition_text(check), describe_amount(last),
                    ranks > 1 ? fmt::format(", on each of {} ranks", ranks) : "", describe_left_out(sides));
  }
  result.measured["runs"] = sides.size();
  result.measured["channels"] = last.channels.size();
  result.measured["tensors"] = last.tensors.size();
  for (size_t i = 1; i < sides.size(); ++i) {
    const Covered compared = compared_by(difference_of(sides.front(), sides[i]));
    if (i == 1)
      result.coverage.add(0, compared);
    result.coverage.add(i, compared);
  }
  return result;
}

}  // namespace parity::compare
