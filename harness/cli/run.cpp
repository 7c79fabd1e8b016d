// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "harness/base/enum_names.hpp"
#include "harness/base/error.hpp"
#include "harness/cli/options.hpp"
#include "harness/cli/run_cases.hpp"
#include "harness/cli/verbs.hpp"
#include "harness/suite/rerun.hpp"
#include "harness/suite/setting.hpp"

namespace parity::cli {
namespace {

struct RunVerbOptions {
  CaseOptions cases;
  RunOptions run;
  std::string golden_mode = "compare";
  std::string reason;
  std::string drift = "notice";
  std::string evidence = "stored";
  std::string golden_size = "64M";
  std::string shard;
  std::vector<std::string> settings;
  bool fail_fast = false;
  bool rerun_failed = false;
};

/// The wanted cases; of these the ones that failed last time, if only they are wanted.
std::vector<Case> cases_of(const RunVerbOptions& options) {
  if (!options.rerun_failed)
    return options.cases.read_to_run();
  const std::vector<FailedCase> failed = failed_cases(options.run.out);
  if (failed.empty())
    return {};
  CaseOptions wanted = options.cases;
  if (wanted.filter.what.empty())  // also cases that were named by file and lie elsewhere
    for (const FailedCase& each : failed)
      wanted.filter.what.push_back(each.file.empty() ? each.name : each.file.string());
  return only_failed(wanted.read_to_run(), failed);
}

ExitCode run(const RunVerbOptions& options) {
  SuiteOptions suite = options.run.suite_options();
  suite.golden_mode = parse_enum<GoldenMode>(options.golden_mode);
  suite.fail_fast = options.fail_fast;
  suite.golden_reason = options.reason;
  suite.drift = parse_enum<DriftMode>(options.drift);
  suite.evidence = parse_enum<EvidenceMode>(options.evidence);
  if (!options.shard.empty())
    suite.shard = parse_shard(options.shard);
  if (options.settings.empty() && (!suite.shard || suite.shard->index == 1)) {  // one shard tells
    suite.unused_goldens = options.cases.unused_goldens();
    suite.golden_sizes = options.cases.golden_sizes(options.golden_size);
  }
  if (!options.settings.empty() && suite.golden_mode != GoldenMode::compare)
    throw UserError("--set and --golden-mode " + options.golden_mode +
                    " do not go together (a golden holds what the case's file says); change the file, or "
                    "leave one of them out");
  if (!options.reason.empty() && suite.golden_mode == GoldenMode::compare)
    throw UserError(
        "--reason says why stored values may change, and nothing is stored here (the golden mode is "
        "compare); add --golden-mode update-changed, or leave it out");
  std::vector<Case> cases = cases_of(options);
  if (cases.empty()) {
    fmt::print(stderr, "each of these cases held in the last run (its results are in {})\n", options.run.out);
    return ExitCode::agree;
  }
  apply_settings(cases, options.settings);
  return run_cases(cases, suite, options.run.json ? Output::json : Output::text);
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  auto options = std::make_shared<RunVerbOptions>();
  options->cases.add_to(app);
  options->run.add_to(app);
  app.add_option("--golden-mode", options->golden_mode,
                 "compare, create-missing, update-changed or update-all")
      ->type_name("MODE")
      ->capture_default_str();
  app.add_option("--reason", options->reason, "Why stored values may change, for the golden's history")
      ->type_name("TEXT");
  add_drift_option(app, options->drift);
  app.add_option("--evidence", options->evidence,
                 "Whether float64 evidence that goldens hold stands for twins (stored) or they run (again)")
      ->type_name("EVIDENCE")
      ->capture_default_str();
  add_golden_size_option(app, options->golden_size);
  app.add_option("--shard", options->shard, "Only part I of N, as even as the runs' sizes allow")
      ->type_name("I/N");
  app.add_flag("--fail-fast", options->fail_fast, "Stop at the first case that fails");
  app.add_flag("--rerun-failed", options->rerun_failed,
               "Only cases that failed or were not judged in OUT's last run, with its --set");
  app.add_option("--set", options->settings,
                 "Change a config key of every arm, or of one; goldens are left out; may be repeated")
      ->type_name("[ARM:]KEY=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.footer(
      "Examples:\n"
      "  parity run                                  every case below cases/ but slow ones\n"
      "  parity run cases/lr/warmup_index.toml       one file\n"
      "  parity run 'lr/*' --tag fast --jobs 2       by name and tag, on two cores\n"
      "  parity run --golden-mode create-missing     record what has no golden yet\n"
      "  parity run --drift fail                     goldens of this environment must hold bit for bit\n"
      "  parity run --evidence again                 run every float64 twin, as a nightly suite does\n"
      "  parity run lr --set lr.base=1e-3            every case of a topic with another rate\n"
      "  parity run --shard 1/3 --out out/shard1     a third of the suite; see: parity report --help\n"
      "  parity run --rerun-failed --fail-fast       what failed last time, up to the first that fails\n"
      "Results: OUT/results.json, OUT/index.html. Finished runs are answered from OUT/runs.");
  app.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace parity::cli
