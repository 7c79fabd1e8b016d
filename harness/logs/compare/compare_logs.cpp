// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/logs/compare/compare_logs.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/json/number.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/base/text/glob.hpp"
#include "harness/base/text/nearest.hpp"
#include "harness/compare/text/wording.hpp"

namespace parity::logs {
namespace {

using Names = std::vector<std::string>;

const LogChannel* numeric(const Log& log, const std::string& name) {
  const auto found = log.channels.find(name);
  return found != log.channels.end() && found->second.kind == trace::ChannelKind::numeric ? &found->second
                                                                                          : nullptr;
}

bool is_wanted(const std::string& name, const LogFilter& filter) {
  return filter.channels.empty() || std::ranges::any_of(filter.channels, [&](const std::string& pattern) {
           return glob_match(pattern, name);
         });
}

Names numeric_names(const Log& log) {
  Names names;
  for (const auto& [name, channel] : log.channels)
    if (channel.kind == trace::ChannelKind::numeric)
      names.push_back(name);
  return names;
}

/// Returns the wanted channels that both logs have. Notes those that one log has.
Names common_channels(const Log& a, const Log& b, const LogFilter& filter, Names& notes) {
  Names common, first, second;
  for (const std::string& name : numeric_names(a))
    if (is_wanted(name, filter))
      (numeric(b, name) ? common : first).push_back(name);
  for (const std::string& name : numeric_names(b))
    if (is_wanted(name, filter) && !numeric(a, name))
      second.push_back(name);
  if (!first.empty())
    notes.push_back("only the first has " + escape_to_line(compare::list_text(first), 400));
  if (!second.empty())
    notes.push_back("only the second has " + escape_to_line(compare::list_text(second), 400));
  for (const std::string& pattern : filter.channels)
    if (std::ranges::none_of(common, [&](const std::string& name) { return glob_match(pattern, name); }))
      throw UserError(
          "no channel of both logs is called " + parity::quoted(pattern) + suggestion(pattern, common),
          ExitCode::missing);
  if (common.empty())
    throw UserError(
        fmt::format("the logs have no channel in common (the first has {}; the second has {}); name a "
                    "pair by --map OURS=THEIRS",
                    escape_to_line(compare::list_text(numeric_names(a)), 300),
                    escape_to_line(compare::list_text(numeric_names(b)), 300)),
        ExitCode::missing);
  return common;
}

/// Returns a channel at the steps that both have, after the second's steps were moved by `shift`.
CurveDifference pair_up(const std::string& name, const LogChannel& a, const LogChannel& b, int64_t shift) {
  CurveDifference row{name, {}, {}, {}};
  std::vector<double> expected, actual;
  for (size_t i = 0, j = 0; i < a.steps.size() && j < b.steps.size();) {
    const int64_t other = b.steps[j] + shift;
    if (a.steps[i] == other) {
      row.expected.steps.push_back(other);
      expected.push_back(a.values[i++]);
      actual.push_back(b.values[j++]);
    } else {
      ++(a.steps[i] < other ? i : j);
    }
  }
  row.actual.steps = row.expected.steps;
  row.expected.values = std::move(expected);
  row.actual.values = std::move(actual);
  return row;
}

std::vector<CurveDifference> pair_all(const Log& a, const Log& b, const Names& names, int64_t shift,
                                      const LogFilter& filter) {
  std::vector<CurveDifference> rows;
  for (const std::string& name : names) {
    rows.push_back(pair_up(name, *numeric(a, name), *numeric(b, name), shift));
    if (rows.back().expected.size() > 0)
      rows.back().difference = measure_series(rows.back().expected, rows.back().actual, filter.policy);
  }
  return rows;
}

bool agree(const std::vector<CurveDifference>& rows) {
  return std::ranges::all_of(
      rows, [](const CurveDifference& row) { return row.expected.size() > 0 && row.difference.identical(); });
}

/// Returns 1 or -1 if one log counts from 0 and the other from 1, and moving the second by it makes
/// everything agree. Otherwise 0.
///
/// The learning rate does not decide: one that is late by a step is a defect, not another numbering. Nor do
/// constant channels, which agree under every shift.
int64_t find_shift(const Log& a, const Log& b, const Names& names, const LogFilter& filter) {
  const std::vector<int64_t> in_a = a.steps(), in_b = b.steps();
  const int64_t shift = in_a.front() - in_b.front();
  if (std::max(in_a.front(), in_b.front()) != 1 || (shift != 1 && shift != -1) || in_a.size() != in_b.size())
    return 0;
  for (size_t i = 0; i < in_a.size(); ++i)
    if (in_a[i] != in_b[i] + shift)
      return 0;
  const std::vector<CurveDifference> unmoved = pair_all(a, b, names, 0, filter);
  const bool decided = std::ranges::any_of(unmoved, [](const CurveDifference& row) {
    return row.name == "loss" && row.expected.size() > 0 && !row.difference.identical();
  });
  return decided && agree(pair_all(a, b, names, shift, filter)) ? shift : 0;
}

/// Returns the largest distance of neighbouring steps up to the last common one; 1 for a single step.
int64_t interval(const std::vector<int64_t>& steps, int64_t last) {
  int64_t most = 1;
  for (size_t i = 1; i < steps.size() && steps[i] <= last; ++i)
    most = std::max(most, steps[i] - steps[i - 1]);
  return most;
}

/// The steps of both logs, the second's already moved.
struct Steps {
  std::vector<int64_t> first, second, common;
};

Steps match_steps(const Log& a, const Log& b, int64_t shift) {
  Steps steps{a.steps(), b.steps(), {}};
  for (int64_t& step : steps.second)
    step += shift;
  std::ranges::set_intersection(steps.first, steps.second, std::back_inserter(steps.common));
  if (steps.common.empty())
    throw UserError(
        fmt::format("the logs have no step in common (the first has steps {} to {}, the second {} to "
                    "{}); compare logs of the same steps",
                    steps.first.front(), steps.first.back(), steps.second.front(), steps.second.back()),
        ExitCode::missing);
  return steps;
}

/// Returns why the logs do not cover the same part of the run with this channel; "" if they do. Logging every
/// k steps leaves less than k steps at an end.
std::string length_mismatch(const CurveDifference& row, const LogChannel& a, const LogChannel& b,
                            int64_t shift, bool partial) {
  Steps steps{a.steps, b.steps, row.expected.steps};
  for (int64_t& step : steps.second)
    step += shift;
  const int64_t last = steps.common.back();
  const int64_t apart = std::max(interval(steps.first, last), interval(steps.second, last));
  const int64_t end = std::max(steps.first.back(), steps.second.back());
  const int64_t begin = std::min(steps.first.front(), steps.second.front());
  if (steps.common.front() - begin >= apart && steps.common.front() - begin > 1)
    return fmt::format("{} of the first begins at step {}, the second's at step {}", escape_to_line(row.name),
                       steps.first.front(), steps.second.front());
  if (!partial && end - last >= apart)
    return fmt::format(
        "{} of the first ends at step {}, the second's at step {}; --partial compares up to step {}",
        escape_to_line(row.name), steps.first.back(), steps.second.back(), last);
  return "";
}

void note_steps(const Steps& steps, Names& notes) {
  const size_t a = steps.first.size() - steps.common.size();
  const size_t b = steps.second.size() - steps.common.size();
  if (a + b > 0)
    notes.push_back(fmt::format("{} compared; {} of the first and {} of the second are left out",
                                compare::count_text(steps.common.size(), "common step"), a, b));
}

/// Notes channels that lack values at common steps.
void note_gaps(const std::vector<CurveDifference>& rows, const Log& a, const Log& b, Names& notes) {
  Names empty;
  for (const CurveDifference& row : rows) {
    const size_t fewer = std::min(numeric(a, row.name)->steps.size(), numeric(b, row.name)->steps.size());
    if (row.expected.size() == 0)
      empty.push_back(row.name);
    else if (row.expected.size() < fewer)
      notes.push_back(fmt::format("{} is compared at {} of at least {} steps", parity::quoted(row.name),
                                  row.expected.size(), fewer));
  }
  if (!empty.empty())
    notes.push_back("no step of both has " + escape_to_line(compare::list_text(empty), 400));
}

/// Returns why the agreement of what was compared proves too little; "" if it is enough.
std::string too_little(const std::vector<CurveDifference>& rows, const Log& a, const Log& b,
                       const LogFilter& filter) {
  if (rows.empty())
    return "no channel has a step in common";
  for (const CurveDifference& row : rows) {
    const size_t fewer = std::min(numeric(a, row.name)->steps.size(), numeric(b, row.name)->steps.size());
    if (2 * row.expected.size() < fewer)
      return fmt::format("{} has only {} of {} steps in common", parity::quoted(row.name),
                         row.expected.size(), fewer);
  }
  const bool compared =
      std::ranges::any_of(rows, [](const CurveDifference& row) { return row.name == "loss"; });
  if (filter.channels.empty() && !compared && (numeric(a, "loss") || numeric(b, "loss")))
    return "the loss was not compared; --map loss=THEIRS names it, --channel says what is enough";
  return "";
}

}  // namespace

ExitCode LogDifference::exit_code() const {
  if (!agrees())
    return ExitCode::differ;
  return missing.empty() ? ExitCode::agree : ExitCode::missing;
}

Json LogDifference::to_json() const {
  Json json = {{"schema", "parity.curves/1"},
               {"identical", exit_code() == ExitCode::agree},
               {"mismatch", mismatch},
               {"missing", missing},
               {"notes", notes},
               {"channels", Json::array()}};
  for (const CurveDifference& row : channels) {
    Json entry = {{"name", row.name},
                  {"identical", row.difference.identical()},
                  {"steps", row.expected.steps.size()},
                  {"differing", row.difference.differing},
                  {"max_ulp", row.difference.max_ulp},
                  {"relative_l2", json_number(row.difference.relative_l2)},
                  {"needed_rtol", json_number(row.difference.needed_rtol)}};
    if (const auto first = row.difference.first)
      entry["first"] = {{"step", row.expected.steps.at(*first)},
                        {"expected", json_number(row.expected.widened(*first))},
                        {"actual", json_number(row.actual.widened(*first))}};
    json["channels"].push_back(entry);
  }
  return json;
}

LogDifference compare_logs(const Log& expected, const Log& actual, const LogFilter& filter) {
  LogDifference difference;
  const Names names = common_channels(expected, actual, filter, difference.notes);
  const int64_t shift = find_shift(expected, actual, names, filter);
  if (shift != 0)
    difference.notes.push_back(
        fmt::format("the first counts from {}, the second from {}: step n of the second is compared with "
                    "step n{} of the first",
                    shift < 0 ? 0 : 1, shift < 0 ? 1 : 0, shift < 0 ? "-1" : "+1"));
  const Steps steps = match_steps(expected, actual, shift);
  note_steps(steps, difference.notes);
  difference.channels = pair_all(expected, actual, names, shift, filter);
  note_gaps(difference.channels, expected, actual, difference.notes);
  std::erase_if(difference.channels, [](const CurveDifference& row) { return row.expected.size() == 0; });
  for (const CurveDifference& row : difference.channels)
    if (difference.mismatch.empty())
      difference.mismatch = length_mismatch(row, *numeric(expected, row.name), *numeric(actual, row.name),
                                            shift, filter.partial);
  difference.missing = too_little(difference.channels, expected, actual, filter);
  difference.differing = static_cast<size_t>(std::ranges::count_if(
      difference.channels, [](const CurveDifference& row) { return !row.difference.identical(); }));
  return difference;
}

}  // namespace parity::logs
