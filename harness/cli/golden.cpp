// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/cli/options.hpp"
#include "harness/cli/run_cases.hpp"
#include "harness/cli/verbs.hpp"
#include "harness/suite/golden_check.hpp"

namespace parity::cli {
namespace {

struct RunCaseOptions {
  CaseOptions cases;
  RunOptions run;
};

struct DiffOptions {
  std::string before;
  std::string after;
  std::string out = "out/suite";
  std::string root = "cases";
};

ExitCode record(const RunCaseOptions& options) {
  SuiteOptions suite = options.run.suite_options();
  suite.golden_mode = GoldenMode::update_changed;
  return run_cases(options.cases.read_to_run(), suite, options.run.json ? Output::json : Output::text);
}

ExitCode verify(const RunCaseOptions& options) {
  std::vector<Case> cases = only_goldens(options.cases.read_to_run());
  if (cases.empty())
    throw UserError("none of these cases has a golden (their [golden] table names no arms)",
                    ExitCode::missing);
  return run_cases(cases, options.run.suite_options(), options.run.json ? Output::json : Output::text);
}

ExitCode diff(const DiffOptions& options) {
  const GoldenDiff found = options.after.ends_with(".h5")
                               ? diff_files(options.before, options.after)
                               : diff_with_last_run(options.before, options.root,
                                                    options.after.empty() ? options.out : options.after);
  fmt::print("{}", found.text);
  return found.identical ? ExitCode::agree : ExitCode::differ;
}

void add_running(CLI::App& app, Action& action, ExitCode (*function)(const RunCaseOptions&)) {
  auto options = std::make_shared<RunCaseOptions>();
  options->cases.add_to(app);
  options->run.add_to(app);
  app.callback([options, &action, function] { action = [options, function] { return function(*options); }; });
}

}  // namespace

void add_golden(CLI::App& app, Action& action) {
  app.require_subcommand(1);
  CLI::App* to_record = app.add_subcommand("record", "Run cases and store what they give, where it changed");
  add_running(*to_record, action, record);
  to_record->footer(
      "Examples:\n"
      "  parity golden record cases/lr/warmup_index.toml\n"
      "A golden is written only if the case's checks hold; one that holds the same values stays untouched.");
  CLI::App* to_verify =
      app.add_subcommand("verify", "Run the arms that goldens hold, and compare with them only");
  add_running(*to_verify, action, verify);
  to_verify->footer("Examples:\n  parity golden verify 'lr/*'");
  CLI::App* to_diff =
      app.add_subcommand("diff", "Show how a golden and the last run, or two goldens, differ");
  auto options = std::make_shared<DiffOptions>();
  to_diff->add_option("GOLDEN", options->before, "A case, or a golden file (.h5)")->required();
  to_diff->add_option("OTHER", options->after, "Another golden file, or a folder of results");
  to_diff->add_option("--out", options->out, "Folder of the last run")
      ->type_name("DIR")
      ->capture_default_str();
  to_diff->add_option("--cases", options->root, "Folder the cases lie in")
      ->type_name("DIR")
      ->capture_default_str();
  to_diff->footer(
      "Examples:\n"
      "  parity golden diff lr/warmup_index                      stored against the last run\n"
      "  parity golden diff before.h5 golden/lr/warmup_index.h5  two files");
  to_diff->callback([options, &action] { action = [options] { return diff(*options); }; });
}

}  // namespace parity::cli
