// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/compare/logs.hpp"

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/json/json.hpp"
#include "harness/base/terminal/terminal.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/base/text/table.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/logs/compare/seed_noise.hpp"
#include "harness/logs/compare/shape.hpp"
#include "harness/logs/trace_log.hpp"
#include "harness/suite/results/file/last.hpp"

namespace parity::cli {
namespace {

struct Side {
  logs::Log log;
  std::filesystem::path file;
  bool ended = true;  ///< false for the trace of a run that failed or did not end
};

Side read_side(const std::string& words, const LogOptions& options) {
  if (logs::is_log(words))
    return {logs::read_log(words, options.read), words};
  const std::filesystem::path file = suite::find_trace(words, options.out);
  const trace::Trace trace = trace::Trace::open(file);
  return {logs::log_of(trace, words), file, trace.complete() && !trace.failure()};
}

/// Returns how far the sides are apart next to runs of other seeds; nothing without such runs.
std::optional<logs::SeedNoise> seed_noise(const Side& first, const Side& second, const LogOptions& options) {
  if (options.noise.empty())
    return std::nullopt;
  std::vector<logs::Log> seeds;
  for (const std::string& words : options.noise)
    seeds.push_back(read_side(words, options).log);
  return measure_seed_noise(first.log, second.log, seeds);
}

void print_rows(const logs::LogDifference& difference, const std::string& agreeing) {
  std::vector<std::vector<std::string>> rows;
  for (const logs::CurveDifference& row : difference.channels) {
    const compare::SeriesDifference& d = row.difference;
    rows.push_back({row.name, d.identical() ? agreeing : "different", std::to_string(d.count),
                    d.first ? std::to_string(row.expected.steps.at(*d.first)) : "-",
                    compare::size_text(static_cast<double>(d.max_ulp)), compare::size_text(d.relative_l2)});
  }
  if (!rows.empty())
    fmt::print("{}",
               text_table({"channel", "verdict", "steps", "first step", "max ULP", "relative L2"}, rows));
}

/// Prints both values of the first step that differs, how far apart they are, and what the difference looks
/// like.
void print_first(const logs::LogDifference& difference) {
  for (const logs::CurveDifference& row : difference.channels) {
    const std::optional<logs::Shape> shape = shape_of(row);
    if (!shape)
      continue;
    const size_t i = *row.difference.first;
    fmt::print("  {} at step {}: {} against {}; {}\n", escape_to_line(row.name), shape->step,
               row.expected.text(i), row.actual.text(i), shape->text());
    if (!shape->looks.empty())
      fmt::print("  looks like: {}\n", escape_to_line(shape->looks, 400));
  }
}

}  // namespace

ExitCode compare_logs_or_traces(const LogOptions& options) {
  if (options.expected == "-" && options.actual == "-")
    throw UserError("cannot compare - with - (the standard input is one log); write one of them to a file");
  const Side expected = read_side(options.expected, options);
  const Side actual = read_side(options.actual, options);
  logs::LogDifference difference = compare_logs(expected.log, actual.log, options.filter);
  const bool unfinished = !options.filter.partial && !(expected.ended && actual.ended);
  for (const Side* side : {&expected, &actual})
    for (const std::string& note : side->log.notes)
      difference.notes.push_back(escape_to_line(side->log.file) + ": " + note);
  if (unfinished)
    difference.notes.emplace_back("the run of a trace did not end well; --partial accepts it");
  std::optional<logs::SeedNoise> noise = seed_noise(expected, actual, options);
  if (difference.differing == 0)
    noise.reset();  // equal curves need none, and may count steps from another number
  if (noise)
    difference.notes.push_back(noise->text());
  const ExitCode code = unfinished && difference.agrees() ? ExitCode::crashed : difference.exit_code();
  const std::string text = (code == ExitCode::crashed ? "crashed: " : "") + difference.verdict();
  if (!options.page.path.empty())
    write_comparison(options.page, difference, {expected.log, expected.file}, {actual.log, actual.file}, text,
                     code == ExitCode::agree);
  if (options.json) {
    Json json = difference.to_json();
    json["identical"] = code == ExitCode::agree;
    if (noise)
      json["noise"] = noise->to_json();
    json["sides"] = {expected.log.text(), actual.log.text()};
    fmt::print("{}\n", json_text(json, 1));
    return code;
  }
  fmt::print("{}\n{}\n\n", expected.log.text(), actual.log.text());
  print_rows(difference, options.filter.policy.strict() ? "identical" : "equal");
  print_first(difference);
  for (const std::string& note : difference.notes)
    fmt::print("  {}\n", note);
  const Style style = Style::for_stream(stdout);
  fmt::print("\n{}\n", code == ExitCode::agree ? style.good(text) : style.bad(text));
  if (!options.page.path.empty())
    fmt::print("wrote {}\n", escape_to_line(options.page.path));
  return code;
}

}  // namespace parity::cli
