// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/compare/print_traces.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "harness/base/enum_names.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/base/text/table.hpp"
#include "harness/compare/tensors/profile.hpp"
#include "harness/compare/text/policy.hpp"
#include "harness/compare/text/wording.hpp"

namespace parity::cli {
namespace {

void print_channels(const compare::TraceDifference& difference) {
  std::vector<std::vector<std::string>> rows;
  for (const compare::ChannelDifference& row : difference.channels) {
    const compare::SeriesDifference& d = row.difference;
    if (!row.mismatch.empty())
      rows.push_back({row.name, row.mismatch});
    else if (row.identical())
      rows.push_back({row.name, agreeing_word(difference), "-", "0", "0", "0"});
    else
      rows.push_back({row.name, "different", d.first ? std::to_string(row.steps.at(*d.first)) : "-",
                      d.integral ? "-" : compare::ulp_text(d.max_ulp), compare::size_text(d.relative_l2),
                      compare::size_text(d.needed_rtol)});
    rows.back().resize(6);
  }
  fmt::print(
      "{}",
      text_table({"channel", "verdict", "first step", "max ULP", "relative L2", "passes at rtol"}, rows));
}

/// Prints both values of the step that differs most, with all digits.
void print_worst_channels(const compare::TraceDifference& difference) {
  for (const compare::ChannelDifference& row : difference.channels) {
    if (row.identical() || !row.mismatch.empty())
      continue;
    const size_t i = row.difference.worst;
    fmt::print("  widest: {} at step {}: {} against {}\n", escape_to_line(row.name), row.steps.at(i),
               row.expected.text(i, row.difference.float32_valued),
               row.actual.text(i, row.difference.float32_valued));
  }
}

/// Prints what only one side recorded, one line for each step and phase.
void print_unmatched(const compare::TraceDifference& difference) {
  std::map<std::tuple<int64_t, trace::Phase, std::string>, size_t> counts;
  for (const compare::TensorDifference& row : difference.tensors)
    if (!row.mismatch.empty())
      ++counts[{row.key.step, row.key.phase, row.mismatch}];
  for (const auto& [key, count] : counts)
    fmt::print("  step {} {}: {} tensor{} {}\n", std::get<0>(key), name_of(std::get<1>(key)), count,
               count == 1 ? "" : "s", std::get<2>(key));
}

void print_tensors(const compare::TraceDifference& difference, bool all) {
  constexpr size_t most = 40;
  std::vector<std::vector<std::string>> rows;
  size_t hidden = 0;
  for (const compare::TensorDifference& row : difference.tensors) {
    if (!row.mismatch.empty() || (row.identical() && !all))
      continue;
    if (!all && rows.size() == most) {
      ++hidden;
      continue;
    }
    const compare::TensorGap& gap = row.gap;
    const std::string different = gap.difference_word();
    rows.push_back({std::to_string(row.key.step), std::string(name_of(row.key.phase)), row.key.name,
                    row.identical()        ? agreeing_word(difference)
                    : gap.mismatch.empty() ? different
                                           : gap.mismatch,
                    gap.max_ulp ? compare::ulp_text(*gap.max_ulp) : "-",
                    gap.residues ? "-" : compare::size_text(gap.relative_l2),
                    gap.relative_linf ? compare::size_text(*gap.relative_linf) : "-",
                    gap.worst.empty() ? "-" : fmt::format("[{}]", fmt::join(gap.worst, ", "))});
  }
  if (!rows.empty())
    fmt::print("\n{}", text_table({"step", "phase", "tensor", "verdict", "max ULP", "relative L2",
                                   "relative Linf", "worst at"},
                                  rows));
  if (hidden > 0)
    fmt::print("  and {} more; --all shows them\n", hidden);
  print_unmatched(difference);
}

/// Prints the size and place of each tensor's difference below its name.
void print_profiles(const compare::TraceDifference& difference) {
  size_t without = 0;
  for (const compare::TensorDifference& row : difference.tensors) {
    if (row.gap.profile)
      fmt::print("\n  {} {}, step {}\n{}", name_of(row.key.phase), escape_to_line(row.key.name), row.key.step,
                 profile_text(row.gap));
    else if (!row.identical() && row.mismatch.empty())
      ++without;
  }
  if (without > 0)
    fmt::print("\n  {} without a profile: it needs whole tensors of one dtype on both sides\n",
               compare::count_text(without, "tensor"));
}

/// Returns "9 channels and 21 tensors agree", without kinds that were not compared.
std::string describe_comparison(const compare::TraceDifference& difference) {
  std::vector<std::string> words;
  if (!difference.channels.empty())
    words.push_back(compare::count_text(difference.channels.size(), "channel"));
  if (!difference.tensors.empty())
    words.push_back(compare::count_text(difference.tensors.size(), "tensor"));
  const bool one = difference.channels.size() + difference.tensors.size() == 1;
  return compare::list_text(words) + (one ? " agrees" : " agree");
}

/// Prints the differences between records of single ranks.
void print_ranks(const compare::TraceDifference& difference) {
  constexpr size_t most = 10;
  const auto& rows = difference.ranks.differences;
  for (size_t i = 0; i < std::min(most, rows.size()); ++i)
    fmt::print("  {}\n", rows[i].text());
  if (rows.size() > most)
    fmt::print("  and {} more of single ranks\n", rows.size() - most);
}

/// Returns ", and so do 12 channels and tensors of single ranks"; "" if there are none.
std::string ranks_text(const compare::RankComparison& ranks) {
  std::string text = ranks.compared > 0 ? fmt::format(
                                              ", and what single ranks recorded agrees in {} channels "
                                              "and tensors",
                                              ranks.compared)
                                        : "";
  if (ranks.laid_out_otherwise > 0)
    text += fmt::format("; {} are distributed differently over ranks, and were compared as a whole",
                        compare::count_text(ranks.laid_out_otherwise, "tensor"));
  return text;
}

/// Returns the sentence for agreement. It qualifies "identical" if a run did not end.
std::string agreement(const compare::TraceDifference& difference) {
  const std::string policy = compare::policy_text(difference.policy);
  const std::string what =
      fmt::format("{}{}{}", describe_comparison(difference),
                  policy.empty() ? " bit for bit" : " where " + policy + " (bits were not compared)",
                  ranks_text(difference.ranks));
  if (difference.unfinished.empty())
    return fmt::format("{}: {}", agreeing_word(difference), what);
  if (difference.partial)
    return fmt::format("{} up to step {}: {}; {}", agreeing_word(difference), difference.last_step, what,
                       difference.unfinished);
  return fmt::format("crashed: {}; up to step {} {}; --partial compares such traces", difference.unfinished,
                     difference.last_step, what);
}

/// Returns whether the value that differs most is NaN on both sides.
bool is_nan_on_both_sides(const compare::ChannelDifference& row) {
  if (row.identical() || !row.mismatch.empty())
    return false;
  const size_t at = row.difference.worst;
  return std::isnan(row.expected.widened(at)) && std::isnan(row.actual.widened(at));
}

}  // namespace

std::string agreeing_word(const compare::TraceDifference& difference) {
  return difference.policy.strict() ? "identical" : "equal";
}

std::string conclusion(const compare::TraceDifference& difference) {
  if (difference.agrees())
    return agreement(difference);
  const std::string policy = compare::policy_text(difference.policy);
  const auto unmatched = static_cast<size_t>(
      std::count_if(difference.tensors.begin(), difference.tensors.end(),
                    [](const compare::TensorDifference& row) { return !row.mismatch.empty(); }));
  std::string text =
      fmt::format("different: {} of {} channels and {} of {} tensors", difference.differing_channels(),
                  difference.channels.size(), difference.differing_tensors() - unmatched,
                  difference.tensors.size() - unmatched);
  if (unmatched > 0)
    text += fmt::format("; {} tensors are recorded by one side only", unmatched);
  if (!policy.empty())
    text += "; all of it where " + policy;
  if (const size_t count = difference.beyond_policy(); count > 0)
    text += fmt::format(", but only sketches of {} were recorded, to which that does not apply",
                        compare::count_text(count, "tensor"));
  if (const size_t count = difference.ranks.differences.size(); count > 0)
    text += fmt::format("; single ranks differ in {}", compare::count_text(count, "place"));
  if (difference.policy.nan == measure::DifferencePolicy::Nan::never_equal &&
      std::ranges::any_of(difference.channels, is_nan_on_both_sides))
    text += "; both sides are NaN at the same step, which --equal-nan accepts";
  for (const std::string& more : {difference.mismatch, difference.unfinished})
    text += more.empty() ? "" : "; " + more;
  return text;
}

void print_traces(const compare::TraceDifference& difference, bool all, bool profiles) {
  if (!difference.channels.empty())
    print_channels(difference);
  print_worst_channels(difference);
  print_tensors(difference, all);
  if (difference.routes)
    fmt::print("\n  routes: {}\n", difference.routes->text());
  print_ranks(difference);
  if (profiles)
    print_profiles(difference);
}

}  // namespace parity::cli
