// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>
#include <sstream>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/processes/process.hpp"
#include "harness/base/terminal/terminal.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/base/text/table.hpp"
#include "harness/cli/options/cases.hpp"
#include "harness/cli/options/own_program.hpp"
#include "harness/cli/options/runs.hpp"
#include "harness/cli/verbs/verbs.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/power/measure_power.hpp"
#include "harness/suite/goldens/stored_power.hpp"
#include "harness/suite/runs/cache.hpp"

namespace parity::cli {
namespace {

struct PowerVerbOptions {
  CaseOptions cases;
  RunOptions run;
  power::PowerQuestion question;
  std::string kinds;
  bool record = false;
};

std::vector<trace::FaultKind> parse_kinds(const std::string& words) {
  std::vector<trace::FaultKind> kinds;
  std::istringstream list(words);
  for (std::string word; std::getline(list, word, ',');)
    kinds.push_back(parse_enum<trace::FaultKind>(word));
  return kinds;
}

/// Returns "3e-07: 20 of 20 (86 %)", without the size for a kind that has none.
std::string describe_half(const power::HalfPower& half, bool sized) {
  if (half.seen.trials == 0)
    return "-";
  std::string seen =
      fmt::format("{} of {} (>= {:.0f} %)", half.seen.hits, half.seen.trials, 100 * at_least(half.seen));
  if (!sized)
    return seen;
  return half.size ? compare::size_text(*half.size) + ": " + seen
                   : fmt::format("not up to {}: {} of {}", compare::size_text(power::tried_sizes().back()),
                                 half.seen.hits, half.seen.trials);
}

std::vector<std::string> row_of_table(const power::FaultPower& fault) {
  const bool sized = trace::row_of(fault.kind).sized;
  const std::string what = fmt::format("{} {}", name_of(fault.kind), name_of(fault.phase));
  if (!fault.not_applicable.empty())
    return {what, "not applicable", "", ""};
  return {what, describe_half(fault.arms, sized), fault.golden ? describe_half(*fault.golden, sized) : "-",
          fmt::format("{} of {}", fault.named.hits, fault.named.trials)};
}

void print_power(const power::Power& power) {
  fmt::print("{}:{}\n", escape_for_terminal(power.case_name), escape_for_terminal(power.arm));
  std::vector<std::vector<std::string>> rows;
  for (const power::FaultPower& fault : power.faults)
    rows.push_back(row_of_table(fault));
  fmt::print("{}",
             text_table({"fault", "detected between arms", "detected by the golden", "located"}, rows, "  "));
  for (const power::FaultPower& fault : power.faults) {
    for (const power::Trial& trial : fault.misnamed)
      fmt::print("  located wrongly: {}, reported as {}\n", trial.fault.text(),
                 trial.first ? fmt::format("{} {} at step {}", name_of(trial.first->phase), trial.first->name,
                                           trial.first->step)
                             : "nowhere");
    for (const power::Trial& trial : fault.missed)
      fmt::print("  missed: {}\n", trial.fault.text());
  }
  const power::Tally all = power.no_ops.all();
  fmt::print(
      "  no-op pairs: {} that must agree bit for bit, {} up to rounding; {} false alarm{} (at most {:.1f} "
      "%)\n",
      power.no_ops.exact.trials, power.no_ops.rounding.trials, all.hits, all.hits == 1 ? "" : "s",
      100 * at_most(all));
  for (const power::FalseAlarm& alarm : power.no_ops.alarms)
    fmt::print("  false alarm: {} with seed {}: {}\n", alarm.change, alarm.seed,
               escape_for_terminal(alarm.sentence));
  for (const std::string& broken : power.broken)
    fmt::print("  fails without a fault, so it detects nothing: {}\n", escape_for_terminal(broken));
  fmt::print("{}\n", power.sentence());
}

Json stored_json(const power::Power& power, const suite::Case& source) {
  Json json = power.to_json();
  json["case_digest"] = case_digest(source);
  json["producer"] = producer();
  return json;
}

/// Returns the JSON without examples, which reports and reviewers do not need.
Json small_json(Json json) {
  for (Json& fault : json["faults"]) {
    fault.erase("misnamed");
    fault.erase("missed");
  }
  json["no_ops"].erase("examples");
  json.erase("broken");
  return json;
}

ExitCode measure(const PowerVerbOptions& options) {
  suite::SuiteOptions suite = options.run.suite_options();
  power::PowerQuestion question = options.question;
  question.kinds = parse_kinds(options.kinds);
  if (question.samples < 1 || question.no_op_pairs < 0)
    throw UserError("invalid --samples or --no-op-pairs (expected at least 1 and at least 0)");
  Progress progress(stderr);
  Json all = Json::array();
  bool clean = true;
  for (const suite::Case& source : options.cases.read_to_run()) {
    const power::Power power =
        measure_power(source, question, suite, progress, [&](const power::FaultPower& fault) {
          progress.note(
              fmt::format("{}: measured {} {}", source.name, name_of(fault.kind), name_of(fault.phase)));
        });
    const Json json = stored_json(power, source);
    write_file(power_file(source, suite.out), json_text(json, 1) + "\n");
    if (options.record)
      write_file(recorded_power_file(source), json_text(small_json(json), 1) + "\n");
    suite::trim_cache(suite::RunStore(suite.out).runs(), {suite.cache_bytes, {}, {}});
    clean = clean && power.is_clean();
    if (!options.run.json)
      print_power(power);
    std::fflush(stdout);
    all.push_back(json);
  }
  if (options.run.json)
    fmt::print("{}\n", json_text(all.size() == 1 ? all.front() : all, 1));
  return clean ? ExitCode::agree : ExitCode::differ;
}

}  // namespace

void add_power(CLI::App& app, Action& action) {
  auto options = std::make_shared<PowerVerbOptions>();
  options->cases.add_to(app);
  options->run.add_to(app);
  app.add_option("--arm", options->question.arm,
                 "Arm that gets the faults (default: one that a check compares with another arm)")
      ->type_name("ARM");
  app.add_option("--faults", options->kinds, "Kinds of faults, separated by commas (default: all)")
      ->type_name("KIND,...");
  app.add_option(
         "--samples", options->question.samples,
         "Number of random places (step, tensor, element) for each kind of fault; 59 detections out of "
         "59 show at least 95 % sensitivity (with 95 % confidence)")
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--no-op-pairs", options->question.no_op_pairs,
                 "Number of pairs that must not raise an alarm")
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--seed", options->question.seed, "Seed for choosing the places")
      ->type_name("S")
      ->capture_default_str();
  app.add_flag("--record", options->record,
               "Store the result next to the golden, for reports on other machines");
  app.footer(
      "Injects faults of known size into an arm, and counts which of the case's checks fail.\n"
      "Examples:\n"
      "  parity power masks/leak                         every kind, in 20 places each\n"
      "  parity power lr/families --faults scale,ulp     two kinds\n"
      "  parity power masks/leak --samples 59 --record   95 % with 95 % confidence, stored for reports\n"
      "  parity power masks/leak --faults ulp --json     as JSON\n"
      "Exit status 1: a false alarm, or a fault at or above the printed size was located wrongly.\n"
      "Finished runs are kept, so after Ctrl-C the same command resumes the measurement.");
  app.callback([options, &action] { action = [options] { return measure(*options); }; });
}

}  // namespace parity::cli
