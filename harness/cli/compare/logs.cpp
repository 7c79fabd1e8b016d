// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/compare/logs.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/json/json.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/base/text/table.hpp"
#include "harness/cli/compare/pages/logs.hpp"
#include "harness/cli/compare/sides.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/logs/compare/seed_noise.hpp"
#include "harness/logs/compare/shape.hpp"
#include "harness/logs/trace_log.hpp"
#include "harness/suite/results/file/last.hpp"

namespace parity::cli {
namespace {

ReadLog read_side(const std::string& words, const LogOptions& options) {
  if (logs::is_log(words))
    return {logs::read_log(words, options.read), words};
  const std::filesystem::path file = suite::find_trace(words, options.out);
  const trace::Trace trace = trace::Trace::open(file);
  return {logs::log_of(trace, words), file, trace.complete() && !trace.failure()};
}

std::vector<ReadLog> read_all_sides(const LogOptions& options) {
  if (std::ranges::count(options.sides, "-") > 1)
    throw UserError("cannot compare - with - (the standard input is one log); write one of them to a file");
  std::vector<ReadLog> sides;
  for (const std::string& words : options.sides)
    sides.push_back(read_side(words, options));
  return sides;
}

std::vector<logs::Log> read_seeds(const LogOptions& options) {
  std::vector<logs::Log> seeds;
  for (const std::string& words : options.noise)
    seeds.push_back(read_side(words, options).log);
  return seeds;
}

/// Most channels of a table, and most that are described, without --all.
constexpr size_t most_log_rows = 40, most_described = 10;

void print_log_rows(const logs::LogDifference& difference, bool all) {
  const bool cut = !all && difference.channels.size() > most_log_rows;
  std::vector<std::vector<std::string>> rows;
  for (const logs::CurveDifference& row : difference.channels) {
    const compare::SeriesDifference& d = row.difference;
    if (cut && (d.identical() || rows.size() == most_log_rows))
      continue;
    rows.push_back({row.name, row.verdict(difference.filter.policy.strict()), std::to_string(d.count),
                    d.first ? std::to_string(row.expected.steps.at(*d.first)) : "-",
                    compare::ulp_text(d.max_ulp), compare::size_text(d.relative_l2)});
  }
  if (!rows.empty())
    fmt::print("{}",
               text_table({"channel", "verdict", "steps", "first step", "max ULP", "relative L2"}, rows));
  if (cut)
    fmt::print("  and {} more channels, of which {} differ; --all shows them\n",
               difference.channels.size() - rows.size(), difference.differing - rows.size());
}

/// Prints both values of the first step that differs, how far apart they are, and what the difference looks
/// like.
void print_first_steps(const logs::LogDifference& difference, bool all) {
  size_t described = 0;
  for (const logs::CurveDifference& row : difference.channels) {
    const std::optional<logs::Shape> shape = shape_of(row);
    if (!shape)
      continue;
    if (++described > most_described && !all)
      continue;
    const size_t i = *row.difference.first;
    fmt::print("  {} at step {}: {} against {}; {}\n", escape_to_line(row.name), shape->step,
               row.expected.text(i), row.actual.text(i), shape->text());
    if (!shape->looks.empty())
      fmt::print("  looks like: {}\n", escape_to_line(shape->looks, 400));
  }
  if (described > most_described && !all)
    fmt::print("  and {} more of the channels that differ; --all describes them\n",
               described - most_described);
}

void print_pair(const logs::LogDifference& difference, bool all) {
  print_log_rows(difference, all);
  print_first_steps(difference, all);
  for (const std::string& note : difference.notes)
    fmt::print("  {}\n", note);
}

/// Returns the difference of two sides, with notes on what was read.
logs::LogDifference difference_of(const ReadLog& expected, const ReadLog& actual, const LogOptions& options) {
  logs::LogDifference difference = compare_logs(expected.log, actual.log, options.filter);
  for (const ReadLog* side : {&expected, &actual})
    for (const std::string& note : side->log.notes)
      difference.notes.push_back(escape_to_line(side->log.file) + ": " + note);
  if (!options.filter.partial && !(expected.ended && actual.ended))
    difference.notes.emplace_back("the run of a trace did not end well; --partial accepts it");
  return difference;
}

/// Adds what the seeds say to a difference, and returns the outcome of the pair.
PairOutcome judge_pair(logs::LogDifference& difference, const ReadLog& expected, const ReadLog& actual,
                       const std::vector<logs::Log>& seeds, const LogOptions& options) {
  PairOutcome pair{actual.log.file, difference.exit_code(), difference.verdict(), difference.to_json()};
  if (!options.filter.partial && !(expected.ended && actual.ended) && difference.agrees())
    pair.code = ExitCode::crashed, pair.verdict = "crashed: " + pair.verdict;
  if (!seeds.empty()) {
    const logs::SeedNoise noise = measure_seed_noise(expected.log, actual.log, seeds);
    if (difference.differing > 0) {  // equal curves need none, and may count steps from another number
      difference.notes.push_back(noise.text());
      pair.json["noise"] = noise.to_json();
    }
  }
  pair.json["notes"] = difference.notes;
  pair.json["identical"] = pair.code == ExitCode::agree;
  pair.json["sides"] = {expected.log.text(), actual.log.text()};
  return pair;
}

}  // namespace

ExitCode compare_logs_or_traces(const LogOptions& options) {
  const std::vector<ReadLog> sides = read_all_sides(options);
  const std::vector<logs::Log> seeds = read_seeds(options);
  std::vector<logs::LogDifference> differences;
  std::vector<PairOutcome> pairs;
  for (size_t i = 1; i < sides.size(); ++i) {
    differences.push_back(difference_of(sides.front(), sides[i], options));
    pairs.push_back(judge_pair(differences.back(), sides.front(), sides[i], seeds, options));
  }
  std::vector<std::string> heads;
  for (const ReadLog& side : sides)
    heads.push_back(side.log.text());
  return conclude(
      {options.sides.front(), pairs, heads, [&](size_t i) { print_pair(differences[i], options.all); },
       [&] { return comparison_of_logs(sides, differences, seeds); }},
      options.outputs, options.json);
}

}  // namespace parity::cli
