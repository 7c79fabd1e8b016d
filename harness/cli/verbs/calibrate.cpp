// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/derived/calibrate.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/terminal/say.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/base/text/table.hpp"
#include "harness/cli/options/cases.hpp"
#include "harness/cli/options/runs.hpp"
#include "harness/cli/verbs/verbs.hpp"
#include "harness/compare/text/wording.hpp"

namespace parity::cli {
namespace {

constexpr int most_repeats = 1000;

struct CalibrateVerbOptions {
  CaseOptions cases;
  RunOptions run;
  int repeats = 3;
};

std::string describe_growth(const compare::Growth& growth) {
  if (!growth.known())
    return "-";
  const std::string factor = fmt::format("x{:.3g} a step", std::exp(growth.rate));
  return std::isfinite(growth.saturation) ? factor + " up to " + compare::size_text(growth.saturation)
                                          : factor;
}

std::string describe_headroom(const suite::FloorLine& line) {
  if (!line.headroom)
    return "-";
  return std::isfinite(*line.headroom) ? compare::size_text(*line.headroom) : "bits agree";
}

std::vector<std::string> row_of(const suite::FloorLine& line) {
  return {compare::list_text(line.arms),
          line.quantity,
          compare::size_text(line.first),
          compare::size_text(line.last),
          describe_growth(line.growth),
          line.kind.empty() ? "-" : line.kind,
          line.bound,
          describe_headroom(line)};
}

/// Returns table rows for the channels of a check, and for the tensor that is nearest to its bound, or else
/// has the most noise.
std::vector<std::vector<std::string>> rows_of(const std::vector<suite::FloorLine>& lines) {
  std::vector<std::vector<std::string>> rows;
  std::map<size_t, std::pair<const suite::FloorLine*, size_t>> tensors;
  const auto nearer = [](const suite::FloorLine& a, const suite::FloorLine& b) {
    return std::pair(a.headroom.value_or(INFINITY), -a.last) <
           std::pair(b.headroom.value_or(INFINITY), -b.last);
  };
  for (const suite::FloorLine& line : lines) {
    if (line.quantity.find(' ') == std::string::npos) {
      rows.push_back(row_of(line));
      continue;
    }
    auto& [worst, count] = tensors[line.check];
    worst = !worst || nearer(line, *worst) ? &line : worst;
    ++count;
  }
  for (const auto& [check, found] : tensors) {
    rows.push_back(row_of(*found.first));
    rows.back()[1] = fmt::format("{} (of {} tensors)", found.first->quantity, found.second);
  }
  return rows;
}

void print_calibration(const suite::Case& source, const suite::Calibration& found) {
  fmt::print("{}\n", escape_to_line(source.name));
  fmt::print("{}", escape_for_terminal(text_table({"arms", "quantity", "first floor", "last floor", "growth",
                                                   "noisiest", "bound", "headroom"},
                                                  rows_of(found.lines))));
  for (const suite::SixteenBits& each : found.sixteen_bits)
    fmt::print(
        "in 16 bits, {} of {} differs from float32 by {} times float32's noise (expected 2^16, at most "
        "2^{:.0f})\n",
        escape_to_line(each.quantity), escape_to_line(each.arm), compare::power_text(each.log2),
        suite::most_sixteen_bits_log2);
  for (const std::string& why : found.left_out)
    fmt::print("left out: {}\n", escape_for_terminal(why));
}

Json calibration_json(const suite::Case& source, const suite::Calibration& found) {
  Json json = {{"name", source.name},
               {"lines", Json::array()},
               {"sixteen_bits", Json::array()},
               {"left_out", found.left_out},
               {"runs", found.runs},
               {"runs_cached", found.cached},
               {"kinds", found.floors.kinds},
               {"golden", source.golden_file.generic_string()}};
  for (const suite::FloorLine& line : found.lines)
    json["lines"].push_back(line.to_json());
  for (const suite::SixteenBits& each : found.sixteen_bits)
    json["sixteen_bits"].push_back({{"arm", each.arm}, {"quantity", each.quantity}, {"log2", each.log2}});
  return json;
}

ExitCode calibrate_case(const suite::Case& source, const CalibrateVerbOptions& options,
                        const suite::SuiteOptions& suite, Json& all) {
  Progress progress(stderr);
  const suite::Calibration found = calibrate_and_record(source, options.repeats, suite, progress);
  if (options.run.json)
    all.push_back(calibration_json(source, found));
  else
    print_calibration(source, found);
  say("{} run{}, {} from the cache; floors are in {}\n", found.runs, found.runs == 1 ? "" : "s", found.cached,
      path_from_here(source.golden_file));
  const bool too_far = std::any_of(
      found.sixteen_bits.begin(), found.sixteen_bits.end(),
      [](const suite::SixteenBits& each) { return !(each.log2 <= suite::most_sixteen_bits_log2); });
  return too_far ? ExitCode::differ : ExitCode::agree;
}

ExitCode calibrate_cases(const CalibrateVerbOptions& options) {
  if (options.cases.filter.everything())
    throw UserError(
        "cannot calibrate without a case (each arm runs several times); name cases, or '*' for all: parity "
        "calibrate CASE");
  if (options.repeats < 0 || options.repeats > most_repeats)
    throw UserError(fmt::format("invalid --repeats {} (expected 0 to {} runs with perturbed weights)",
                                options.repeats, most_repeats));
  const suite::SuiteOptions suite = options.run.suite_options();
  ExitCode code = ExitCode::agree;
  Json all = Json::array();
  for (const suite::Case& source : options.cases.read_to_run())
    if (calibrate_case(source, options, suite, all) != ExitCode::agree)
      code = ExitCode::differ;
  if (options.run.json)
    fmt::print("{}\n", all.dump(1));
  return code;
}

}  // namespace

void add_calibrate(CLI::App& app, Action& action) {
  auto options = std::make_shared<CalibrateVerbOptions>();
  options->cases.add_to(app);
  options->run.add_to(app);
  app.add_option("--repeats", options->repeats,
                 "Number of runs with perturbed weights for each arm; runs that exist are reused")
      ->type_name("N")
      ->capture_default_str();
  app.footer(
      "Examples:\n"
      "  parity calibrate parallel/mixed_precision\n"
      "  parity calibrate parallel/mixed_precision --repeats 10   ten runs with perturbed weights, not "
      "three\n"
      "  parity calibrate 'loss/*' --json                         one topic, as JSON\n"
      "Each arm that a check names also runs in variants that compute the same numbers: in float64, with\n"
      "the initial weights moved by an eps, with other threads, kernels and micro-batches. The largest\n"
      "difference is the noise floor of a quantity at a step. The case's golden file stores the floors.\n"
      "Exit status 1 if a 16-bit arm differs from float32 by more than 16 bits explain.");
  app.callback([options, &action] { action = [options] { return calibrate_cases(*options); }; });
}

}  // namespace parity::cli
