// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/repeats.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/base/enum_names.hpp"
#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/suite/results/compare_traces.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity::suite {
namespace {

bool is_blamed(const JudgedCheck& check) {
  return check.kind == results::CheckKind::golden && !check.result.passed &&
         check.result.verdict == compare::Verdict::different && check.claim.arms.size() == 1;
}

/// Returns "grad wq at step 3" or "loss at step 3", the earliest that differs; of one step, tensors in order
/// of computation come first. "" if nothing that can be compared differs.
std::string first_station(const TraceDifference& difference) {
  std::string first;
  int64_t step = 0;
  const auto offer = [&](int64_t at, const std::string& words) {
    if (first.empty() || at < step)
      first = words, step = at;
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
  return escape_to_line(first, 200);
}

/// Returns what a second run of an arm shows, in a sentence without a full stop.
std::string describe_repeat(const PlannedArm& arm, const RunResult& again, const RunStore& store) {
  if (again.failure)
    return fmt::format("a second run of {} failed: {}", arm.name,
                       escape_to_line(again.failure->message, 200));
  try {
    TraceFilter filter;
    filter.partial = true;  // of two traces that ended, it changes nothing
    const TraceDifference difference = compare_traces(trace::Trace::open(store.trace(arm.run)),
                                                      trace::Trace::open(store.trace(arm.repeat)), filter);
    if (difference.agrees())
      return fmt::format("a second run of {} has the same bits", arm.name);
    const std::string where = first_station(difference);
    return fmt::format(
        "{} does not repeat itself, so the golden cannot judge it: a second run differs first in {}",
        arm.name, where.empty() ? "its length" : where);
  } catch (const UserError& error) {
    return fmt::format("a second run of {} cannot be compared: {}", arm.name, error.what());
  }
}

}  // namespace

std::string arm_to_repeat(const PlannedCase& planned, const std::vector<JudgedCheck>& judged) {
  if (std::ranges::any_of(planned.arms, [](const PlannedArm& arm) { return !arm.repeat.empty(); }))
    return "";
  const auto blamed = std::ranges::find_if(judged, is_blamed);
  return blamed == judged.end() ? "" : blamed->claim.arms.front();
}

void describe_repeats(std::vector<JudgedCheck>& judged, const PlannedCase& planned,
                      const std::map<std::string, RunResult>& runs, const RunStore& store) {
  for (const PlannedArm& arm : planned.arms) {
    if (arm.repeat.empty())
      continue;
    const std::string words = describe_repeat(arm, runs.at(arm.repeat), store);
    for (JudgedCheck& check : judged)
      if (is_blamed(check) && check.claim.arms.front() == arm.name)
        check.result.sentence += "; " + words;
  }
}

}  // namespace parity::suite
