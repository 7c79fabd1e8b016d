// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/commits/trace_gap.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/compare/text/step_set.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/compare/traces/compare_traces.hpp"

namespace parity::bisect {
namespace {

/// Returns a distance above 0 for values whose bits differ, even if the metric is 0 (+0 and -0).
double distance_of(double relative) {
  if (std::isnan(relative))
    return std::numeric_limits<double>::infinity();
  return std::max(relative, std::numeric_limits<double>::denorm_min());
}

GapPlace place_of(const compare::ChannelDifference& row) {
  const size_t at = row.difference.first.value_or(0);
  const bool as_float32 = row.difference.float32_valued;
  return {row.name, row.steps.at(at), row.expected.text(at, as_float32), row.actual.text(at, as_float32),
          distance_of(row.difference.relative_linf)};
}

GapPlace place_of(const compare::TensorDifference& row) {
  return {fmt::format("{} {}", name_of(row.key.phase), row.key.name), row.key.step, "", "",
          distance_of(row.gap.mismatch.empty() ? row.gap.relative_l2 : std::nan(""))};
}

/// Returns the place of a difference between single ranks, which has no size.
GapPlace place_of(const compare::RankDifference& row) {
  const std::string phase = row.phase ? std::string(name_of(*row.phase)) + " " : "";
  return {fmt::format("{}{} of rank {}", phase, row.name, row.rank), row.step, "", "",
          std::numeric_limits<double>::infinity()};
}

/// Returns whether `a` is the better place to report: the loss, which users plot, or else the earlier step.
/// On equal steps the place added first stays, so channels come before tensors.
bool is_better_place(const GapPlace& a, const GapPlace& b) {
  if ((a.quantity == "loss") != (b.quantity == "loss"))
    return a.quantity == "loss";
  return a.step < b.step;
}

void add(TraceGap& gap, const GapPlace& place) {
  gap.size = std::max(gap.size, place.size);
  if (!gap.first || is_better_place(place, *gap.first))
    gap.first = place;
  if (!gap.largest || place.size > gap.largest->size)
    gap.largest = place;
}

/// Adds the channels, tensors and steps that only one of two traces has.
void add_one_sided(TraceGap& gap, const trace::Trace& before, const trace::Trace& after,
                   const std::map<trace::Phase, size_t>& tensors) {
  for (const auto& [phase, count] : tensors)
    gap.one_sided.push_back(compare::count_text(count, std::string(name_of(phase)) + " tensor"));
  const compare::StepSet of_before(before.steps()), of_after(after.steps());
  for (const compare::StepSet& alone : {of_before.without(of_after), of_after.without(of_before)})
    if (!alone.empty())
      gap.one_sided.push_back(alone.text());
}

}  // namespace

std::string GapPlace::text() const {
  const std::string values = before.empty() ? "" : fmt::format(" from {} to {}", before, after);
  return fmt::format("{} first at step {}{} (relative {})", escape_to_line(quantity), step, values,
                     compare::size_text(size));
}

Json GapPlace::to_json() const {
  return {{"quantity", quantity},
          {"step", step},
          {"before", before},
          {"after", after},
          {"size", json_number(size)}};
}

TraceGap gap_between(const trace::Trace& before, const trace::Trace& after,
                     const std::vector<std::string>& channels) {
  compare::TraceFilter filter;
  filter.channels = channels;
  const compare::TraceDifference difference = compare_traces(before, after, filter);
  TraceGap gap;
  bool compared = false;
  for (const compare::ChannelDifference& row : difference.channels) {
    compared = compared || (row.mismatch.empty() && !row.steps.empty());
    if (!row.mismatch.empty())
      gap.one_sided.push_back(row.name);
    else if (!row.steps.empty() && !row.identical())
      add(gap, place_of(row));
  }
  std::map<trace::Phase, size_t> alone;
  for (const compare::TensorDifference& row : difference.tensors) {
    compared = compared || row.mismatch.empty();
    if (!row.mismatch.empty())
      ++alone[row.key.phase];
    else if (!row.gap.identical)
      add(gap, place_of(row));
  }
  for (const compare::RankDifference& row : difference.ranks.differences)
    if (row.one_sided)
      gap.one_sided.push_back(fmt::format("{} of rank {}", row.name, row.rank));
    else
      add(gap, place_of(row));
  add_one_sided(gap, before, after, alone);
  if (!compared)
    throw UserError(
        "cannot compare the two commits (their traces share no channel and no tensor); give another "
        "--channel");
  return gap;
}

}  // namespace parity::bisect
