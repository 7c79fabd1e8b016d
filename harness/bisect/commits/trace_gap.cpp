// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/commits/trace_gap.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/compare/text/step_set.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/compare/traces/compare_traces.hpp"
#include "harness/trace/format/settings.hpp"

namespace parity::bisect {
namespace {

/// Returns a distance above 0 for values whose bits differ, even if the metric is 0 (+0 and -0).
double distance_of(double relative) {
  if (std::isnan(relative))
    return std::numeric_limits<double>::infinity();
  return std::max(relative, std::numeric_limits<double>::denorm_min());
}

/// Returns whether both values are the same infinity, or NaN. A run that stays there has not changed again.
bool is_one_non_finite_state(double a, double b) {
  return std::isnan(a) ? std::isnan(b) : std::isinf(a) && a == b;
}

/// Returns a channel's difference without the steps at which both sides are in one state that is not finite.
compare::ChannelDifference without_shared_non_finite(const compare::ChannelDifference& row) {
  auto* expected = std::get_if<std::vector<double>>(&row.expected.values);
  auto* actual = std::get_if<std::vector<double>>(&row.actual.values);
  if (!row.mismatch.empty() || !expected || !actual ||
      (row.difference.nan_count == 0 && row.difference.inf_count == 0))
    return row;
  compare::ChannelDifference kept = row;
  auto& first = std::get<std::vector<double>>(kept.expected.values);
  auto& second = std::get<std::vector<double>>(kept.actual.values);
  for (size_t i = 0; i < first.size(); ++i)
    if (is_one_non_finite_state(first[i], second[i]))
      first[i] = second[i] = 0;
  kept.difference = compare::measure_series(kept.expected, kept.actual);
  return kept;
}

/// Returns the relative gap of the values at a position; nothing if it is the series' largest, or not finite.
std::optional<double> smaller_gap_at(const compare::ChannelDifference& row, size_t at) {
  const auto gap = [&](size_t i) { return std::abs(row.actual.widened(i) - row.expected.widened(i)); };
  double largest = 0;
  for (size_t i = 0; i < row.expected.size(); ++i)
    largest = std::max(largest, gap(i));
  const double here = gap(at) / std::abs(row.expected.widened(at));
  return gap(at) < largest && std::isfinite(here) ? std::optional(here) : std::nullopt;
}

GapPlace place_of(const compare::ChannelDifference& row) {
  const size_t at = row.difference.first.value_or(0);
  const bool as_float32 = row.difference.float32_valued;
  return {row.name,
          row.steps.at(at),
          row.expected.text(at, as_float32),
          row.actual.text(at, as_float32),
          distance_of(row.difference.relative_linf),
          smaller_gap_at(row, at)};
}

GapPlace place_of(const compare::TensorDifference& row) {
  return {fmt::format("{} {}", name_of(row.key.phase), row.key.name),
          row.key.step,
          "",
          "",
          distance_of(row.gap.mismatch.empty() ? row.gap.relative_l2 : std::nan("")),
          {}};
}

/// Returns the place of a difference between single ranks, which has no size.
GapPlace place_of(const compare::RankDifference& row) {
  const std::string phase = row.phase ? std::string(name_of(*row.phase)) + " " : "";
  return {fmt::format("{}{} of rank {}", phase, row.name, row.rank),
          row.step,
          "",
          "",
          std::numeric_limits<double>::infinity(),
          {}};
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

/// Compares two traces. Tensors that are NaN in the same elements, and equal in the others, do not differ.
compare::TraceDifference compare_with_nan_as_state(const trace::Trace& before, const trace::Trace& after,
                                                   const compare::TraceFilter& filter) {
  compare::TraceDifference strict = compare_traces(before, after, filter);
  const auto has_nan = [](const compare::TensorDifference& row) { return row.gap.nan_count > 0; };
  if (std::ranges::none_of(strict.tensors, has_nan))
    return strict;
  measure::DifferencePolicy policy;
  policy.nan = measure::DifferencePolicy::Nan::equal_if_both;
  compare::TraceDifference lenient =
      compare_traces(before, after, filter, compare::TensorDetail::numbers, policy);
  strict.tensors = std::move(lenient.tensors);
  for (compare::RankDifference& row : lenient.ranks.differences)  // of tensors that differed by their NaN
    if (row.phase)
      strict.ranks.differences.push_back(std::move(row));
  return strict;
}

bool share_steps(const trace::Trace& before, const trace::Trace& after) {
  return std::ranges::any_of(before.steps(),
                             [&](int64_t step) { return std::ranges::binary_search(after.steps(), step); });
}

/// What two traces share, and what only one of them has.
struct Shared {
  bool evidence = false;              ///< a quantity that shows how they trained
  std::map<std::string, bool> alone;  ///< quantities of one trace, and whether it is the first

  void add(const compare::ChannelDifference& row, bool setting) {
    if (!setting)
      count(row.name, row.mismatch);
  }
  void add(const compare::TensorDifference& row) {
    count(std::string(name_of(row.key.phase)) + " tensors", row.mismatch);
  }

 private:
  void count(const std::string& name, const std::string& mismatch) {
    if (mismatch.empty())
      evidence = true;
    else
      alone[name] = mismatch.find("first") != std::string::npos;
  }
};

/// Sets how the later trace records otherwise, where the two share nothing by which they can be compared.
void set_recorded_otherwise(TraceGap& gap, const Shared& shared, bool share_steps) {
  std::vector<std::string> before, after;
  for (const auto& [name, first] : shared.alone)
    (first ? before : after).push_back(escape_to_line(name));
  gap.size = std::numeric_limits<double>::infinity();
  if (!share_steps)
    gap.recorded_otherwise = "records other steps";
  else if (before.empty() || after.empty())
    gap.recorded_otherwise = before.empty() ? "records " + compare::list_text(after)
                                            : "no longer records " + compare::list_text(before);
  else
    gap.recorded_otherwise =
        fmt::format("records {} and no longer {}", compare::list_text(after), compare::list_text(before));
  gap.recorded_otherwise += ", so its numbers cannot be compared with those before";
  gap.first = gap.largest = std::nullopt;
}

}  // namespace

std::string GapPlace::text() const {
  const std::string values = before.empty() ? "" : fmt::format(" from {} to {}", before, after);
  const std::string most = compare::size_text(size);
  const std::string here = size_here ? compare::size_text(*size_here) : most;
  const std::string much = here == most ? most : fmt::format("{}; over all steps {}", here, most);
  return fmt::format("{} first at step {}{} (relative {})", escape_to_line(quantity), step, values, much);
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
  const compare::TraceDifference difference = compare_with_nan_as_state(before, after, filter);
  TraceGap gap;
  Shared shared;
  for (const compare::ChannelDifference& all : difference.channels) {
    const compare::ChannelDifference row = without_shared_non_finite(all);
    shared.add(row, channels.empty() && trace::is_setting(row.name));
    if (!row.mismatch.empty())
      gap.one_sided.push_back(row.name);
    else if (!row.identical())
      add(gap, place_of(row));
  }
  std::map<trace::Phase, size_t> alone;
  for (const compare::TensorDifference& row : difference.tensors) {
    shared.add(row);
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
  if (shared.evidence)
    return gap;
  gap.only_settings = shared.alone.empty();
  if (!gap.only_settings)
    set_recorded_otherwise(gap, shared, share_steps(before, after));
  return gap;
}

std::string describe_own_gap(double size) {
  return std::isfinite(size) ? "by relative " + compare::size_text(size) : "in how they end or in NaN";
}

std::string describe_remedy(double largest_own_gap) {
  return std::isfinite(largest_own_gap) ? fmt::format("; --tolerance above {} leaves larger steps only",
                                                      compare::size_text(largest_own_gap))
                                        : "";
}

}  // namespace parity::bisect
