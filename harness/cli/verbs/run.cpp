// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "harness/base/enum_names.hpp"
#include "harness/base/error.hpp"
#include "harness/base/terminal/say.hpp"
#include "harness/cli/options/cases.hpp"
#include "harness/cli/options/place.hpp"
#include "harness/cli/options/repeated.hpp"
#include "harness/cli/options/runs.hpp"
#include "harness/cli/verbs/run_cases.hpp"
#include "harness/cli/verbs/verbs.hpp"
#include "harness/suite/cases/names.hpp"
#include "harness/suite/cases/read/file.hpp"
#include "harness/suite/cases/read/setting.hpp"
#include "harness/suite/derived/proofs.hpp"
#include "harness/suite/rerun.hpp"

namespace parity::cli {
namespace {

struct RunVerbOptions {
  CaseOptions cases;
  RunOptions run;
  PlaceOptions place;
  std::string golden_mode = "compare";
  std::string reason;
  std::string drift = "notice";
  std::string evidence = "stored";
  std::string golden_size = "64M";
  std::string shard;
  std::vector<std::string> settings;
  bool fail_fast = false;
  bool rerun_failed = false;
  bool prove = false;
};

/// Adds the open cases of the last run that the filter selects and `cases` does not have: cases outside the
/// folder of cases that were named by file.
void add_open_cases(std::vector<suite::Case>& cases, const suite::LastRun& last,
                    const suite::CaseFilter& filter) {
  for (const suite::LastCase& each : last.open) {
    const bool known = std::ranges::any_of(cases, [&](const suite::Case& item) { return each.is(item); }) ||
                       each.file.empty();
    if (known)
      continue;
    suite::Case item = suite::read_case(each.file);
    if (has_wanted_tag(filter, item.tags))
      cases.push_back(std::move(item));
  }
  make_names_unique(cases);
}

/// Returns those of the selected cases that did not hold in the last run. If no case is named, the cases of
/// the last run are selected.
std::vector<suite::Case> cases_to_rerun(const RunVerbOptions& options, const suite::LastRun& last) {
  CaseOptions wanted = options.cases;
  if (!wanted.filter.everything()) {
    std::vector<suite::Case> cases = wanted.read_to_run();
    if (wanted.filter.what.empty())
      add_open_cases(cases, last, wanted.filter);
    return not_held(std::move(cases), last, options.settings);
  }
  if (!last.missing_shards.empty())
    throw UserError(fmt::format("cannot rerun failed cases (of the last results in {}, shard{} {} missing); "
                                "merge all shards with parity report, or name the cases to run",
                                options.run.out, last.missing_shards.size() == 1 ? "" : "s",
                                fmt::format("{} {}", fmt::join(last.missing_shards, ", "),
                                            last.missing_shards.size() == 1 ? "is" : "are")),
                    ExitCode::missing);
  if (last.open.empty() && last.held.empty())
    throw UserError(fmt::format("cannot rerun failed cases (the last run in {} judged no case); run the "
                                "suite without --rerun-failed",
                                options.run.out),
                    ExitCode::missing);
  if (last.open.empty())
    return {};
  // Includes cases outside the folder of cases that were named by file.
  for (const suite::LastCase& each : last.open)
    wanted.filter.what.push_back(each.file.empty() ? each.name : each.file.string());
  return not_held(wanted.read_to_run(), last, options.settings);
}

/// Returns whether the goldens as a whole have a problem, which belongs to no case.
bool goldens_fail(const suite::SuiteOptions& suite) {
  return !suite.unused_goldens.empty() || (suite.golden_sizes && suite.golden_sizes->too_large());
}

void print_passed(const suite::LastRun& last, const RunVerbOptions& options) {
  const bool all = options.cases.filter.everything();
  const auto changed =
      std::ranges::find_if(last.held, [](const suite::LastCase& each) { return !each.settings.empty(); });
  say("each of these cases passed in the last run{}{} (its results are in {})\n",
      all ? fmt::format(", which judged {}", last.held.size()) : "",
      changed == last.held.end() ? "" : fmt::format(", with --set {}", fmt::join(changed->settings, " ")),
      options.run.out);
}

ExitCode run(const RunVerbOptions& options) {
  suite::SuiteOptions suite = options.run.suite_options();
  suite.golden_mode = parse_enum<golden::GoldenMode>(options.golden_mode);
  suite.fail_fast = options.fail_fast;
  suite.golden_reason = options.reason;
  suite.drift = parse_enum<golden::DriftMode>(options.drift);
  suite.evidence = parse_enum<suite::EvidenceMode>(options.evidence);
  if (!options.shard.empty())
    suite.shard = suite::parse_shard(options.shard);
  if (options.settings.empty() && (!suite.shard || suite.shard->index == 1)) {  // only one shard reports
    suite.unused_goldens = options.cases.unused_goldens();
    suite.golden_sizes = options.cases.golden_sizes(options.golden_size);
  }
  if (!options.settings.empty() && suite.golden_mode != golden::GoldenMode::compare)
    throw UserError(
        fmt::format("cannot use --set with --golden-mode {} (a golden stores values of the unchanged case); "
                    "change the file, or omit one of them",
                    options.golden_mode));
  if (!options.reason.empty() && suite.golden_mode == golden::GoldenMode::compare)
    throw UserError(
        "cannot use --reason (the golden mode compare stores nothing); add --golden-mode update-changed, or "
        "omit it");
  const suite::LastRun last = options.rerun_failed ? suite::last_run(options.run.out) : suite::LastRun();
  std::vector<suite::Case> cases =
      options.rerun_failed ? cases_to_rerun(options, last) : options.cases.read_to_run();
  if (cases.empty() && !goldens_fail(suite)) {
    print_passed(last, options);
    return ExitCode::agree;
  }
  apply_settings(cases, options.settings);
  if (last.proved && !options.prove)
    suite.command.emplace_back("--prove");  // so that the next --rerun-failed proves as well
  if (options.prove || last.proved)
    std::ranges::for_each(cases, suite::add_proofs);
  const std::unique_ptr<suite::RunPlace> place = options.place.make(suite);
  suite.place = place.get();
  return run_cases(cases, suite, options.run.json ? Output::json : Output::text);
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  auto options = std::make_shared<RunVerbOptions>();
  options->cases.add_to(app);
  options->cases.add_venv_to(app);
  options->run.add_to(app);
  options->place.add_to(app);
  app.add_option("--golden-mode", options->golden_mode,
                 "Use of goldens: compare, create-missing, update-changed or update-all")
      ->type_name("MODE")
      ->capture_default_str();
  app.add_option("--reason", options->reason,
                 "Reason for changes of stored values, kept in the golden's history")
      ->type_name("TEXT");
  add_drift_option(app, options->drift);
  app.add_option("--evidence", options->evidence,
                 "Source of float64 evidence: goldens where valid (stored), or new runs of all twins (again)")
      ->type_name("EVIDENCE")
      ->capture_default_str();
  add_golden_size_option(app, options->golden_size);
  app.add_option("--shard", options->shard, "Run only shard I of N, balanced by the cost of runs")
      ->type_name("I/N");
  app.add_flag("--fail-fast", options->fail_fast, "Stop at the first failed case");
  app.add_flag("--rerun-failed", options->rerun_failed,
               "Run only cases that failed or were not judged in OUT's last run, with its --set and --prove; "
               "of named cases, only those that did not pass in it");
  app.add_flag(
      "--prove", options->prove,
      "Prove with integers that equivalent arms compute the same function, and distinct arms others: "
      "train two updates of exact twins, at 40 times the cost");
  add_repeated(app, "--set", options->settings,
               "Set a config key of every arm, or of one, and ignore goldens; may be repeated",
               "[ARM:]KEY=VALUE");
  app.footer(
      "Examples:\n"
      "  parity run                                  every case below cases/ except slow ones\n"
      "  parity run cases/lr/warmup_index.toml       one file\n"
      "  parity run 'lr/*' --tag fast --jobs 2       by name and tag, on two cores\n"
      "  parity run --golden-mode create-missing     record goldens that are missing\n"
      "  parity run --drift fail                     fail on any bit that differs from a golden\n"
      "  parity run --evidence again                 run every float64 twin, as a nightly suite does\n"
      "  parity run parallel/fsdp --prove            also train exact twins: equality without a tolerance\n"
      "  parity run lr --set lr.base=1e-3            every case of a topic with this rate\n"
      "  parity run --shard 1/3 --out out/shard1     a third of the suite; see: parity report --help\n"
      "  parity run --on slurm --partition gpu       each run as a job; the same command finds them again\n"
      "  parity run --rerun-failed --fail-fast       last failures, up to the first that fails again\n"
      "Results: OUT/results.json, OUT/index.html. Finished runs are taken from OUT/runs.");
  app.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace parity::cli
