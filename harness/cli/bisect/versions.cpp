// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>
#include <string>

#include "harness/bisect/versions/search_versions.hpp"
#include "harness/cli/bisect/bisect.hpp"
#include "harness/cli/options/repeated.hpp"
#include "harness/cli/options/runs.hpp"
#include "harness/cli/print/search.hpp"
#include "harness/suite/cases/named_case.hpp"

namespace parity::cli {
namespace {

struct BisectVersionsVerbOptions {
  bisect::VersionQuestion question;
  std::string good, bad;
  std::string case_name, root = "cases";
  RunOptions run;
};

ExitCode bisect_versions(const BisectVersionsVerbOptions& options) {
  bisect::VersionQuestion question = options.question;
  question.good = bisect::parse_pins(options.good);
  question.bad = bisect::parse_pins(options.bad);
  question.source = suite::named_case(options.case_name, options.root);
  question.suite = options.run.suite_options();
  Progress progress(stderr);
  return report_search(search_versions(std::move(question), progress), options.run.out, "versions",
                       options.run.json);
}

void add_versions_question(CLI::App& app, BisectVersionsVerbOptions& options) {
  app.add_option("GOOD", options.good,
                 "Versions that are known to be good: 'torch==2.10.0 numpy==2.1.0', or a file")
      ->required();
  app.add_option("BAD", options.bad, "Versions that are bad, in the same form")->required();
  app.add_option("--case", options.case_name,
                 "Case whose arms run in each environment; it has a table [python]")
      ->type_name("CASE")
      ->required();
  app.add_option("--cases", options.root, "Folder of the cases")->type_name("DIR")->capture_default_str();
  add_repeated(app, "--arm", options.question.arms,
               "Arm of the case to run; may be repeated (default: those that start {python})", "ARM");
  add_repeated(
      app, "--channel", options.question.channels,
      "Channels to compare, a glob; may be repeated (default: all channels and the recorded tensors)",
      "CHANNEL");
}

}  // namespace

void add_bisect_versions(CLI::App& app, Action& action) {
  auto options = std::make_shared<BisectVersionsVerbOptions>();
  add_versions_question(app, *options);
  app.add_option("--tolerance", options->question.tolerance,
                 "Relative difference up to which versions are equal, for harmless drift")
      ->type_name("REL")
      ->capture_default_str();
  app.add_option("--most", options->question.most,
                 "Largest number of releases of a package to evaluate (default: no limit)")
      ->type_name("N");
  app.add_option("--install-timeout", options->question.install_timeout,
                 "Time limit of one environment in seconds")
      ->type_name("SECONDS")
      ->capture_default_str();
  options->run.add_search_options(app, "; environments and record are in DIR/bisect");
  app.footer(
      "Finds the releases of Python packages that changed the numbers: first which package, then which\n"
      "release of it, the largest change first. pip installs each environment once, over that of the case,\n"
      "from the index that pip is configured for. Releases that cannot be installed are skipped.\n"
      "Examples:\n"
      "  parity bisect versions torch==2.9.0 torch==2.11.0 --case mine\n"
      "  parity bisect versions 'torch==2.9.0 numpy==1.26.4' 'torch==2.11.0 numpy==2.3.0' --case mine\n"
      "  parity bisect versions old.txt new.txt --case mine --tolerance 1e-6 --json\n"
      "Exit status 0: the two sides do not differ. 1: a release was found.");
  app.callback([options, &action] { action = [options] { return bisect_versions(*options); }; });
}

}  // namespace parity::cli
