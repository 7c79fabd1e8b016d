// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/processes/process.hpp"
#include "harness/bisect/options/record.hpp"
#include "harness/bisect/options/search_options.hpp"
#include "harness/bisect/options/trim_runs.hpp"
#include "harness/cli/bisect/bisect.hpp"
#include "harness/cli/options/repeated.hpp"
#include "harness/cli/options/sides.hpp"
#include "harness/cli/print/search.hpp"

namespace parity::cli {
namespace {

struct BisectOptionsVerbOptions {
  SideOptions sides;
  bisect::OptionQuestion question;
  bool float64 = false;
};

ExitCode bisect_options(const BisectOptionsVerbOptions& options) {
  bisect::OptionQuestion question = options.question;
  if (question.floor && !(*question.floor >= 0 && std::isfinite(*question.floor)))
    throw UserError(
        fmt::format("invalid --floor {} (expected a relative gap of 0 or more); for example 1e-6, or 0 to "
                    "count every bit",
                    *question.floor));
  if (question.looks < 0 || question.looks > 100)
    throw UserError(
        fmt::format("invalid --looks {} (expected 0 to 100 runs of each side); give 2 or more to see whether "
                    "a side repeats itself",
                    question.looks));
  std::vector<std::string> settings = options.sides.settings;
  if (options.float64)
    settings.emplace_back("dtype=float64");
  suite::SuiteOptions suite = options.sides.run.suite_options();
  bisect::OptionSides sides =
      bisect::option_sides(options.sides.good, options.sides.bad, options.sides.root, settings);
  if (sides.base_command.starts_with("parity run ") && options.sides.run.out != RunOptions().out)
    sides.base_command += " --out " + shell_quote({options.sides.run.out});  // not the user's report
  require_known_keys(sides, suite.trainer);
  Progress progress(stderr);
  const bisect::OptionFindings found = search_options(sides.sides, question, suite, progress);
  const bisect::SearchRecord record = option_record(found, sides);
  bisect::trim_search_runs(suite);
  return report_search(record, suite.out, "options " + sides.name, options.sides.run.json);
}

void add_search_options(CLI::App& app, BisectOptionsVerbOptions& options) {
  add_repeated(app, "--channel", options.question.channels,
               "Channels to compare, a glob; may be repeated (default: all numeric channels)", "CHANNEL");
  app.add_option(
         "--floor", options.question.floor,
         "Largest relative gap that does not count; 0: every bit counts (default: what collapses in float64)")
      ->type_name("GAP");
  app.add_option(
         "--looks", options.question.looks,
         "Number of runs of each side, to check that it repeats itself (default: 2 if it may not, else 1)")
      ->type_name("N");
  app.add_flag("--float64", options.float64, "Run both sides in float64, where rounding almost vanishes");
}

}  // namespace

void add_bisect_options(CLI::App& app, Action& action) {
  auto options = std::make_shared<BisectOptionsVerbOptions>();
  options->sides.add_to(app)->required();
  add_search_options(app, *options);
  app.footer(
      "Finds the smallest set of config keys that makes the good side behave like the bad one. One cause\n"
      "among n keys takes log2 n runs, each up to the point of divergence, and two whole runs to verify.\n"
      "Examples:\n"
      "  parity bisect options lr/warmup_index                   its two arms\n"
      "  parity bisect options masks/leak:flex causal            two arms of a case\n"
      "  parity bisect options good.toml bad.toml                two run configs\n"
      "  parity bisect options loss/halves --channel loss --set steps=3\n"
      "  parity bisect options good.toml bad.toml --floor 0      every bit counts\n"
      "  parity bisect options good.toml bad.toml --float64      almost no rounding\n"
      "  parity bisect options good.toml bad.toml --looks 5      a difference that comes and goes\n"
      "Exit status 0 if the sides do not differ, 1 if they do. Finished runs are kept, so the same command\n"
      "resumes the search.");
  app.callback([options, &action] { action = [options] { return bisect_options(*options); }; });
}

}  // namespace parity::cli
