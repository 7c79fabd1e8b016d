// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "harness/base/enum_names.hpp"
#include "harness/cli/options.hpp"
#include "harness/cli/run_cases.hpp"
#include "harness/cli/verbs.hpp"

namespace parity::cli {
namespace {

struct Options {
  CaseOptions cases;
  RunOptions run;
  std::string golden_mode = "compare";
};

ExitCode run(const Options& options) {
  SuiteOptions suite = options.run.suite_options();
  suite.golden_mode = parse_enum<GoldenMode>(options.golden_mode);
  return run_cases(options.cases.read_to_run(), suite, options.run.json ? Output::json : Output::text);
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  options->cases.add_to(app);
  options->run.add_to(app);
  app.add_option("--golden-mode", options->golden_mode,
                 "compare, create-missing, update-changed or update-all")
      ->type_name("MODE")
      ->capture_default_str();
  app.footer(
      "Examples:\n"
      "  parity run                                  every case below cases/ but slow ones\n"
      "  parity run cases/lr/warmup_index.toml       one file\n"
      "  parity run 'lr/*' --tag fast --jobs 2       by name and tag, on two cores\n"
      "  parity run --golden-mode create-missing     record what has no golden yet\n"
      "Results: OUT/results.json, OUT/index.html. Finished runs are answered from OUT/runs.");
  app.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace parity::cli
