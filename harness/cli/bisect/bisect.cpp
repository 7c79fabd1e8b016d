// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/bisect/bisect.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/processes/process.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/base/text/nearest.hpp"
#include "harness/bisect/options/sides.hpp"
#include "harness/bisect/options/trim_runs.hpp"
#include "harness/bisect/runs/search_run.hpp"
#include "harness/cli/options/sides.hpp"
#include "harness/cli/print/search.hpp"

namespace parity::cli {
namespace fs = std::filesystem;
namespace {

/// Reads the sides. A first word that names no case may be a mistyped subcommand, which the error suggests.
bisect::OptionSides read_sides(const SideOptions& options, const std::vector<std::string>& verbs) {
  try {
    return bisect::option_sides(options.good, options.bad, options.root, options.settings,
                                bisect::SideUse::rerun);
  } catch (const UserError& error) {
    const std::string near = nearest(options.good, verbs);
    if (near.empty())
      throw;
    throw UserError(fmt::format("{}; did you mean the verb: parity bisect {}?", error.what(), near),
                    error.code());
  }
}

bool is_trace(const std::string& words) {
  std::error_code error;
  return fs::path(words).extension() == ".h5" || fs::is_regular_file(fs::path(words) / "trace.h5", error);
}

/// Requires that no side is a trace, since a trace cannot run again.
void refuse_traces(const SideOptions& options) {
  for (const std::string& side : {options.good, options.bad})
    if (is_trace(side))
      throw UserError(fmt::format(
          "cannot run {} again (it is a trace); to compare two traces, type: parity bisect traces {} {}",
          parity::quoted(side), shell_quote({options.good}),
          options.bad.empty() ? "B.h5" : shell_quote({options.bad})));
}

/// \param update  the only one to search; 0: any
ExitCode bisect_runs(const SideOptions& options, int64_t update, const std::vector<std::string>& verbs) {
  refuse_traces(options);
  if (const auto status = bisect_operator(options))
    return *status;
  const suite::SuiteOptions suite = options.run.suite_options();
  const bisect::OptionSides read = read_sides(options, verbs);
  require_known_keys(read, suite.trainer);
  const std::vector<suite::Arm>& arms = read.sides.arms;
  Progress progress(stderr);
  bisect::SearchRecord record =
      bisect::search_run({read.sides, arms.front().name, arms.back().name, update}, suite, progress);
  record.subject = read.subject;
  bisect::trim_search_runs(suite);
  return report_search(record, suite.out, "runs " + read.name, options.run.json);
}

constexpr Verb bisect_verbs[] = {
    {"commits", "Find the commits that changed the numbers, largest first", add_bisect_commits},
    {"golden", "Find where a run diverges from its golden, and since when", add_bisect_golden},
    {"options", "Find the config keys that cause a difference of two arms", add_bisect_options},
    {"traces", "Find where two traces diverge: step, phase, tensor, element", add_bisect_traces},
    {"versions", "Find the releases of packages that changed the numbers", add_bisect_versions},
};

}  // namespace

void add_bisect(CLI::App& app, Action& action) {
  auto options = std::make_shared<SideOptions>();
  app.require_subcommand(0, 1);
  options->add_to(app);
  app.add_flag_callback(
      "--exact", [options] { options->settings.emplace_back("dtype=exact"); },
      "Search exact twins, whose integers differ only if the arms compute different functions");
  auto update = std::make_shared<int64_t>(0);
  app.add_option("--step", *update,
                 "With --exact: search this update alone, from the values of the good side before it")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  add_verbs(app, action, bisect_verbs);
  app.footer(
      "Without a subcommand: find the first bitwise difference between two arms: step, tensor, operator\n"
      "and element. Both arms run again from the last checkpoint before they diverge, recording more\n"
      "detail at each stage. Of an operator case: find the smallest input for which a check fails.\n"
      "Examples:\n"
      "  parity bisect lr/warmup_index\n"
      "  parity bisect parallel/tensor:one_process tp_2 --json\n"
      "  parity bisect parallel/tensor --exact\n"
      "  parity bisect parallel/tensor --exact --step 8\n"
      "  parity bisect good.toml bad.toml\n"
      "  parity bisect commits v1.2 HEAD --case lr/warmup_index\n"
      "  parity bisect golden lr/warmup_index:one_indexed\n"
      "  parity bisect options lr/warmup_index:one_indexed zero_indexed\n"
      "  parity bisect traces a.h5 b.h5\n"
      "  parity bisect versions torch==2.10.0 torch==2.11.0 --case mine\n"
      "Exit status 0: the arms do not differ. 1: they differ, and the output says where.");
  app.callback([&app, options, update, &action] {
    if (!app.get_subcommands().empty())
      return;
    if (options->good.empty())
      throw UserError("parity bisect needs a case or a verb; see: parity bisect --help");
    std::vector<std::string> verbs;
    for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
      verbs.push_back(verb->get_name());
    action = [options, update, verbs] { return bisect_runs(*options, *update, verbs); };
  });
}

}  // namespace parity::cli
