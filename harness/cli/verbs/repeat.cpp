// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/processes/process.hpp"
#include "harness/base/processes/signals.hpp"
#include "harness/base/terminal/say.hpp"
#include "harness/base/terminal/terminal.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/bisect/traces/update_difference.hpp"
#include "harness/cli/options/own_program.hpp"
#include "harness/cli/options/repeated.hpp"
#include "harness/cli/options/trainer.hpp"
#include "harness/cli/verbs/verbs.hpp"
#include "harness/repeat/soak.hpp"
#include "harness/repeat/target.hpp"
#include "harness/suite/cases/read/setting.hpp"
#include "harness/suite/runs/conditions.hpp"

namespace parity::cli {
namespace {

struct RepeatOptions {
  std::vector<std::string> words;  ///< the target, or the words of a command after "--"
  std::string root = "cases", out = "out/repeat", trainer, duration, plant;
  std::vector<std::string> under, settings;
  std::optional<int64_t> times;
  std::optional<double> rate, timeout;
  int64_t every = 1;
  bool collectives = false;
  int ranks = 0;
  bool stress = false, fresh = false, json = false;
};

/// Returns the seconds of "90", "90s", "30m" or "8h".
double parse_duration(const std::string& words) {
  size_t end = 0;
  double number = -1;
  try {
    number = std::stod(words, &end);
  } catch (const std::exception&) {
    end = 0;
  }
  const std::string unit = words.substr(end);
  const double factor = unit == "h" ? 3600 : unit == "m" ? 60 : unit.empty() || unit == "s" ? 1 : -1;
  if (end == 0 || factor < 0 || !(number > 0) || !std::isfinite(number))
    throw UserError(
        fmt::format("invalid --for '{}'; give a duration such as 90s, 30m or 8h", escape_to_line(words)));
  return number * factor;
}

std::vector<compare::Condition> conditions_of(const RepeatOptions& options) {
  std::vector<compare::Condition> conditions;
  if (options.stress)
    for (const suite::ConditionRow& row : suite::condition_table())
      if (row.under_stress)
        conditions.push_back(row.condition);
  for (const std::string& name : options.under)
    conditions.push_back(parse_enum<compare::Condition>(name));
  return conditions;
}

std::vector<trace::Fault> planted_faults(const std::string& words) {
  if (words.empty())
    return {};
  const Json json = read_json(words);
  if (json.is_discarded())
    throw UserError("invalid --plant (not JSON); give a fault as in harness/trace/FORMAT.md, \"Faults\"");
  return {trace::Fault::from_json(json)};
}

repeat::SoakOptions soak_options(const RepeatOptions& options) {
  if (options.times && (*options.times < 2 || *options.times > 10'000'000))
    throw UserError(
        fmt::format("invalid --times {} (a repetition needs 2 runs, the first included)", *options.times));
  if (options.every < 1)
    throw UserError(fmt::format("invalid --every {}; give a number of updates, 1 or more", options.every));
  if (options.rate && !(*options.rate > 0 && *options.rate < 1))
    throw UserError(
        fmt::format("invalid --rate {}; give a rate between 0 and 1, such as 0.01", *options.rate));
  repeat::SoakOptions soak;
  soak.run.out = std::filesystem::path(options.out).lexically_normal();
  soak.run.trainer = find_trainer(options.trainer);
  soak.run.use_cache = false;
  soak.run.command = own_command_line();
  soak.run.producer = producer();
  if (!options.duration.empty())
    soak.seconds = parse_duration(options.duration);
  soak.times = options.times.value_or(soak.seconds ? 0 : soak.times);
  soak.under = conditions_of(options);
  soak.every = options.every;
  soak.collectives = options.collectives;
  soak.fresh = options.fresh;
  soak.planted = planted_faults(options.plant);
  soak.compare_update = bisect::describe_update_difference;
  return soak;
}

/// Returns "repetition 3 under load: ..." with the class of the finding, on one line.
std::string finding_line(const repeat::SoakFinding& finding) {
  std::string line = fmt::format("repetition {}", finding.repetition);
  if (finding.under != compare::Condition::none)
    line += fmt::format(" under {}", name_of(finding.under));
  line += ": " + finding.sentence;
  if (!finding.looks_like.empty())
    line += "; " + finding.looks_like;
  return escape_to_line(line, 2000);
}

/// Returns the case of the run to repeat. Words after "--" are a command.
suite::Case target_of(const RepeatOptions& options) {
  const std::vector<std::string> line = own_command_line();
  const auto dashes = std::ranges::find(line, "--");
  const auto given = static_cast<size_t>(line.end() - dashes);
  const size_t after = dashes == line.end() ? 0 : std::min(given - 1, options.words.size());
  const auto begin = options.words.end() - static_cast<std::ptrdiff_t>(after);
  const std::vector<std::string> targets(options.words.begin(), begin), command(begin, options.words.end());
  if (targets.size() > 1)
    throw UserError(
        fmt::format("cannot repeat {} targets; name one, and a command after --", targets.size()));
  std::vector<suite::Case> cases = {
      repeat::target_case(targets.empty() ? "" : targets.front(), command, options.ranks, options.root)};
  apply_settings(cases, options.settings);
  if (options.timeout)
    cases.front().timeout_seconds = *options.timeout;
  return std::move(cases.front());
}

ExitCode run_repeat(const RepeatOptions& options) {
  suite::Case source = target_of(options);
  Progress progress(stderr);
  const Style style = Style::for_stream(stdout);
  const repeat::SoakOptions soak = soak_options(options);
  const repeat::SoakRecord record =
      repeat::soak(std::move(source), soak, progress, [&](const repeat::SoakFinding& finding) {
        if (options.json)
          return say("{}\n", finding_line(finding));
        fmt::print("{}\n", style.bad(finding_line(finding)));
        std::fflush(stdout);
      });
  if (options.json)
    fmt::print("{}\n", json_text(record.to_json(options.rate), 1));
  else
    fmt::print("{}\n", record.exit_code(options.rate) == ExitCode::agree
                           ? style.good(record.sentence(options.rate))
                           : style.bad(record.sentence(options.rate)));
  if (!interrupted())
    return record.exit_code(options.rate);
  say("interrupted after {} repetitions; the same command continues: {}\n", record.count(),
      shell_quote(soak.run.command));
  return ExitCode::interrupted;
}

}  // namespace

void add_repeat(CLI::App& app, Action& action) {
  auto options = std::make_shared<RepeatOptions>();
  app.add_option(
         "TARGET", options->words,
         "The run to repeat: CASE (its reference arm), CASE:ARM, a run config (TOML, or a run folder's "
         "config.json), or after -- a program with its arguments that writes a trace")
      ->type_name("TARGET");
  app.add_option("--times", options->times, "Number of runs, the first included (default: 3)")
      ->type_name("N");
  app.add_option("--for", options->duration, "Begin repetitions for this long, such as 90s, 30m or 8h")
      ->type_name("TIME");
  app.add_flag(
      "--stress", options->stress,
      "Repeat in turn plainly, under load, with other contents of fresh memory, on other cores and with "
      "other alignment");
  add_repeated(
      app, "--under", options->under,
      "Repeat under this condition (load, memory_pressure, threads, other_cores, other_alignment); may be "
      "repeated",
      "CONDITION");
  app.add_option("--every", options->every,
                 "Record tensors, and write checkpoints to narrow a finding from, at every K-th update")
      ->type_name("K")
      ->capture_default_str();
  app.add_option(
         "--ranks", options->ranks,
         "Number of processes to start of a program, each with RANK and WORLD_SIZE (default: one, without "
         "them)")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  app.add_flag(
      "--collectives", options->collectives,
      "Ask a program to record the checksums of its collectives, by which a finding says wire or compute "
      "(parity-train always does; a program in Python watches each operator for it)");
  app.add_option("--rate", options->rate,
                 "Rate of wrong runs that has to be excluded at 95 %; too few clean repetitions are exit 3")
      ->type_name("RATE");
  app.add_option(
         "--plant", options->plant,
         "Inject this fault (JSON, as in a capture) into the first repetition, to see that it is found")
      ->type_name("FAULT");
  add_repeated(app, "--set", options->settings, "Set a config key; may be repeated", "KEY=VALUE");
  app.add_option("--timeout", options->timeout, "Longest time without a sign of life of a run [seconds]")
      ->type_name("SECONDS");
  app.add_flag("--fresh", options->fresh, "Forget an earlier session in OUT (default: continue it)");
  app.add_option("--cases", options->root, "Folder of the cases")->type_name("DIR")->capture_default_str();
  app.add_option("--out", options->out, "Folder of the state and the runs")
      ->type_name("DIR")
      ->capture_default_str();
  add_trainer_option(app, options->trainer);
  app.add_flag("--json", options->json, "Print the record as JSON (schema parity.repeat/1)");
  app.footer(
      "Runs the same thing again and again, in processes of its own, and compares each run with the first, "
      "bit\n"
      "for bit. A run that differs is narrowed to step, tensor, operator, rank and bits, and classified:\n"
      "transient, persistent here or everywhere, or nondeterministic. After Ctrl-C or a kill, the same "
      "command\n"
      "continues.\n"
      "Examples:\n"
      "  parity repeat lr/warmup_index:one_indexed --times 20\n"
      "  parity repeat parallel/fsdp --for 8h --stress\n"
      "  parity repeat run.toml --times 500 --every 100 --rate 0.01 --json\n"
      "  parity repeat --times 10 -- python -m parity record -- train.py\n"
      "  parity repeat --ranks 2 --collectives -- python -m parity record -- train.py\n"
      "Exit status 0 if every repetition has the bits of the first run, 1 if one differs, 3 if the clean\n"
      "repetitions do not exclude --rate (the rate that they exclude is always printed), 4 if one crashed.");
  app.callback([options, &action] { action = [options] { return run_repeat(*options); }; });
}

}  // namespace parity::cli
