// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include "harness/bisect/golden/search_golden.hpp"
#include "harness/bisect/options/trim_runs.hpp"
#include "harness/cli/bisect.hpp"
#include "harness/cli/options.hpp"
#include "harness/cli/print_search.hpp"
#include "harness/suite/cases/named_case.hpp"

namespace parity::cli {
namespace {

struct BisectGoldenVerbOptions {
  std::string words;
  std::string root = "cases";
  RunOptions run;
};

ExitCode bisect_golden(const BisectGoldenVerbOptions& options) {
  const SuiteOptions suite = options.run.suite_options();
  const ArmWords named(options.words);
  const Case source = named_case(named.source, options.root);
  Progress progress(stderr);
  const SearchRecord record = search_golden(source, named.arm, suite, progress);
  trim_search_runs(suite);
  return tell(record, suite.out, "golden " + source.name + (named.arm.empty() ? "" : ":" + named.arm),
              options.run.json);
}

}  // namespace

void add_bisect_golden(CLI::App& app, Action& action) {
  auto options = std::make_shared<BisectGoldenVerbOptions>();
  app.add_option("CASE:ARM", options->words, "A case (every arm that its golden keeps), or one of its arms")
      ->required();
  app.add_option("--cases", options->root, "Folder the cases lie in")
      ->type_name("DIR")
      ->capture_default_str();
  options->run.add_to(app);
  app.footer(
      "A golden check is red: what differed before training starts (config, environment, first weights), the "
      "first\n"
      "step and channel that differ, the first stored tensor that does, and the commits to ask. Differences "
      "are "
      "what\n"
      "the golden's check counts: drift is none.\n"
      "Examples:\n"
      "  parity bisect golden lr/warmup_index                 every arm that the golden keeps\n"
      "  parity bisect golden lr/warmup_index:one_indexed     one of them\n"
      "Exit status 0: the run does not differ from its golden. 1: it does. 3: there is no golden.");
  app.callback([options, &action] { action = [options] { return bisect_golden(*options); }; });
}

}  // namespace parity::cli
