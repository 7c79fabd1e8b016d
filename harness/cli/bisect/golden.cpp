// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include "harness/bisect/golden/search_golden.hpp"
#include "harness/bisect/options/trim_runs.hpp"
#include "harness/cli/bisect/bisect.hpp"
#include "harness/cli/options/runs.hpp"
#include "harness/cli/print/search.hpp"
#include "harness/suite/cases/named_case.hpp"

namespace parity::cli {
namespace {

struct BisectGoldenVerbOptions {
  std::string words;
  std::string root = "cases";
  RunOptions run;
};

ExitCode bisect_golden(const BisectGoldenVerbOptions& options) {
  const suite::SuiteOptions suite = options.run.suite_options();
  const suite::ArmWords named(options.words);
  const suite::Case source = suite::named_case(named.source, options.root);
  Progress progress(stderr);
  const bisect::SearchRecord record = bisect::search_golden(source, named.arm, suite, progress);
  bisect::trim_search_runs(suite);
  return report_search(record, suite.out,
                       "golden " + source.name + (named.arm.empty() ? "" : ":" + named.arm),
                       options.run.json);
}

}  // namespace

void add_bisect_golden(CLI::App& app, Action& action) {
  auto options = std::make_shared<BisectGoldenVerbOptions>();
  app.add_option("CASE:ARM", options->words, "Case (every arm that its golden holds), or one of its arms")
      ->required();
  app.add_option("--cases", options->root, "Folder of the cases")->type_name("DIR")->capture_default_str();
  options->run.add_to(app);
  app.footer(
      "Explains a failed golden check: what differs before training starts (config, environment, initial\n"
      "weights), the first step and channel that differ, the first stored tensor that differs, and the\n"
      "commits to search. Counts the differences that the golden's check counts, so drift does not count.\n"
      "Examples:\n"
      "  parity bisect golden lr/warmup_index                 every arm that the golden holds\n"
      "  parity bisect golden lr/warmup_index:one_indexed     one of them\n"
      "Exit status 0: the run does not differ from its golden. 1: it differs. 3: the golden is missing.");
  app.callback([options, &action] { action = [options] { return bisect_golden(*options); }; });
}

}  // namespace parity::cli
