// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/logs/compare/compare_logs.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "harness/base/json/number.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/compare/text/policy.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/logs/channel_names.hpp"
#include "harness/logs/compare/shape.hpp"

namespace parity::logs {
namespace {

void note_shift(int64_t shift, const Log& first, const Log& second, std::vector<std::string>& notes) {
  if (shift != 0)
    notes.push_back(
        fmt::format("the first counts from {}, the second from {}: step n of the second is compared with "
                    "step n{} of the first (steps {} and {} come first)",
                    shift < 0 ? 0 : 1, shift < 0 ? 1 : 0, shift < 0 ? "-1" : "+1", first.steps().front(),
                    second.steps().front()));
}

/// Notes channels with values at other steps than the logs as a whole.
void note_gaps(const std::vector<CurveDifference>& rows, const Log& a, const Log& b, const StepCounts& steps,
               std::vector<std::string>& notes) {
  std::vector<std::string> empty;
  for (const CurveDifference& row : rows) {
    const StepCounts own{row.expected.size(), a.channels.at(row.name).steps.size(),
                         b.channels.at(row.name).steps.size()};
    if (own.common == 0)
      empty.push_back(row.name);
    else if (own != steps)
      notes.push_back(fmt::format("{} is compared at {}", parity::quoted(row.name), own.text()));
  }
  if (!empty.empty())
    notes.push_back("no step of both has " + escape_to_line(compare::list_text(empty), 400));
}

/// Returns ", 'loss' at 11 common steps (...)" for the first channel that one log has at more steps than the
/// other, and how many others are like it. "" if there is none, or if not all steps are common: then no
/// sentence says "all".
std::string fewer_text(const std::vector<CurveDifference>& rows, const Log& a, const Log& b,
                       const StepCounts& steps) {
  std::string text;
  size_t others = 0;
  for (const CurveDifference& row : rows) {
    const StepCounts own{row.expected.size(), a.channels.at(row.name).steps.size(),
                         b.channels.at(row.name).steps.size()};
    if (!steps.all() || own.all())
      continue;
    others += text.empty() ? 0 : 1;
    if (text.empty())
      text = fmt::format(", {} at {}", parity::quoted(row.name), own.text());
  }
  return text +
         (others > 0 ? fmt::format(", {} at fewer too", compare::count_text(others, "other channel")) : "");
}

/// Notes channels that were compared to fewer digits than one side has.
void note_digits(const std::vector<CurveDifference>& rows, std::vector<std::string>& notes) {
  for (const CurveDifference& row : rows)
    if (row.coarse)
      notes.push_back(fmt::format("{} is compared to the {} that the {} log has", parity::quoted(row.name),
                                  row.coarse->digits.text(), row.coarse->is_first ? "first" : "second"));
}

/// Sets why the logs are not of one length, and why their agreement would prove too little.
void judge_coverage(LogDifference& difference, const Log& a, const Log& b, int64_t shift) {
  const std::vector<int64_t> rows_a = a.steps(), rows_b = b.steps();
  for (const CurveDifference& row : difference.channels) {
    const LogChannel& first = a.channels.at(row.name);
    const LogChannel& second = b.channels.at(row.name);
    if (difference.filter.partial)
      break;
    if (difference.mismatch.empty())
      difference.mismatch = length_mismatch(row, first, second, shift);
    if (difference.missing.empty())
      difference.missing = coverage_problem(row, first, second, shift);
    if (difference.missing.empty())
      difference.missing = hole_problem(row, first, second, rows_a, rows_b, shift);
  }
  if (difference.missing.empty() && !difference.filter.partial)
    difference.missing = digits_problem(difference.channels, a, b);
  if (difference.channels.empty())
    difference.missing = "no channel has a step in common";
  if (difference.missing.empty())
    difference.missing = evidence_problem(difference.channels, difference.match, difference.filter);
}

/// Returns the first step at which a channel differs. One of them must.
int64_t first_step(const std::vector<CurveDifference>& channels) {
  int64_t first = std::numeric_limits<int64_t>::max();
  for (const CurveDifference& row : channels)
    if (row.difference.first)
      first = std::min(first, row.expected.steps.at(*row.difference.first));
  return first;
}

/// Returns what the first difference looks like, with "; " before it; of those at one step, the learning
/// rate's, since others follow from it. "" if nothing is known.
std::string looks_text(const std::vector<CurveDifference>& channels) {
  std::optional<Shape> chosen;
  for (const CurveDifference& row : channels) {
    std::optional<Shape> shape = shape_of(row);
    if (!shape || shape->looks.empty())
      continue;
    if (!chosen || shape->step < chosen->step || (shape->step == chosen->step && row.name == "lr"))
      chosen = std::move(shape);
  }
  return chosen ? "; " + escape_to_line(chosen->looks, 400) : "";
}

Json row_json(const CurveDifference& row) {
  Json entry = {{"name", row.name},
                {"identical", row.difference.identical()},
                {"steps", row.expected.steps.size()},
                {"differing", row.difference.differing},
                {"max_ulp", row.difference.max_ulp},
                {"relative_l2", json_number(row.difference.relative_l2)},
                {"needed_rtol", json_number(row.difference.needed_rtol)}};
  if (row.coarse)
    entry["digits"] = {{"side", row.coarse->is_first ? "first" : "second"},
                       {"significant", row.coarse->digits.significant}};
  if (const auto first = row.difference.first)
    entry["first"] = {{"step", row.expected.steps.at(*first)},
                      {"expected", json_number(row.expected.widened(*first))},
                      {"actual", json_number(row.actual.widened(*first))}};
  if (const std::optional<Shape> shape = shape_of(row))
    entry["shape"] = shape->to_json();
  return entry;
}

}  // namespace

ExitCode LogDifference::exit_code() const {
  if (!agrees())
    return ExitCode::differ;
  return missing.empty() ? ExitCode::agree : ExitCode::missing;
}

std::string LogDifference::verdict() const {
  const std::string left_out = match.left_out().empty() ? "" : "; " + match.left_out();
  const std::string where = fmt::format("at {}{}{}", steps.text(), fewer, left_out);
  const std::string common = compare::count_text(channels.size(), "common channel");
  if (differing > 0)
    return fmt::format("different: {} of {}, first at step {}, {}{}{}", differing, common,
                       first_step(channels), where, looks_text(channels),
                       mismatch.empty() ? "" : "; " + mismatch);
  const std::string policy_words = compare::policy_text(filter.policy);
  const std::string what = fmt::format("{} {} in every digit that both sides hold, {}{}", common,
                                       channels.size() == 1 ? "agrees" : "agree", where,
                                       policy_words.empty() ? "" : ", where " + policy_words);
  if (!mismatch.empty())
    return fmt::format("different: {}; {}", mismatch, what);
  if (!missing.empty())
    return fmt::format("missing: {}; {}", missing, what);
  const bool exact = filter.policy.strict() &&
                     std::ranges::none_of(channels, [](const auto& row) { return row.coarse.has_value(); });
  return fmt::format("{}: {}", exact ? "identical" : "equal", what);
}

Json LogDifference::to_json() const {
  Json json = {{"schema", "parity.curves/1"},
               {"identical", exit_code() == ExitCode::agree},
               {"verdict", verdict()},
               {"mismatch", mismatch},
               {"missing", missing},
               {"steps", {{"common", steps.common}, {"first", steps.first}, {"second", steps.second}}},
               {"first_only", match.first_only},
               {"second_only", match.second_only},
               {"clocks", match.clocks},
               {"notes", notes},
               {"channels", Json::array()}};
  for (const CurveDifference& row : channels)
    json["channels"].push_back(row_json(row));
  return json;
}

LogDifference compare_logs(const Log& expected, const Log& actual, const LogFilter& filter) {
  LogDifference difference;
  difference.filter = filter;
  difference.match = match_channels(expected, actual, filter);
  const int64_t shift = find_shift(expected, actual, difference.match.common, filter);
  difference.notes = difference.match.notes();
  note_shift(shift, expected, actual, difference.notes);
  difference.steps = count_steps(expected, actual, shift);
  difference.channels = pair_channels(expected, actual, difference.match.common, shift, filter);
  note_gaps(difference.channels, expected, actual, difference.steps, difference.notes);
  note_digits(difference.channels, difference.notes);
  std::erase_if(difference.channels, [](const CurveDifference& row) { return row.expected.size() == 0; });
  difference.fewer = fewer_text(difference.channels, expected, actual, difference.steps);
  judge_coverage(difference, expected, actual, shift);
  difference.differing = static_cast<size_t>(std::ranges::count_if(
      difference.channels, [](const CurveDifference& row) { return !row.difference.identical(); }));
  return difference;
}

}  // namespace parity::logs
