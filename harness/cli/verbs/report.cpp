// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <memory>
#include <thread>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/terminal/say.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/cli/print/file.hpp"
#include "harness/cli/print/github.hpp"
#include "harness/cli/verbs/verbs.hpp"
#include "harness/suite/results/case_outcome.hpp"
#include "harness/suite/results/file/merge.hpp"
#include "reports/plots/static_plots.hpp"
#include "reports/render.hpp"

namespace parity::cli {
namespace fs = std::filesystem;
namespace {

struct ReportVerbOptions {
  std::vector<std::string> folders;
  std::string out;
  bool json = false;
  bool plots = false;
  bool mixed = false;
};

ExitCode code_of(const reports::CaseLine& item) {
  std::vector<results::FailureKind> failures;
  std::vector<compare::Verdict> verdicts;
  for (const reports::LostArm& arm : item.lost_arms)
    failures.push_back(arm.kind);
  for (const reports::ListedCheck& listed : item.listed)
    if (!listed.check.passed)
      verdicts.push_back(suite::failed_verdict_of(listed.check.verdict));
  const ExitCode code = suite::exit_code_of_case(failures, verdicts);
  return item.failed() && code == ExitCode::agree ? ExitCode::differ : code;  // as every report shows it
}

/// Returns the exit code of the runs, or `missing` if a shard is missing and the runs' code is not worse.
ExitCode status_of(const reports::Results& results) {
  if (results.interrupted)
    return ExitCode::interrupted;
  const bool none_judged = !results.cases.empty() && results.cases_skipped() == results.cases.size();
  ExitCode code = !results.missing_shards.empty() || (none_judged && !results.is_shard) ? ExitCode::missing
                                                                                        : ExitCode::agree;
  for (const reports::CaseLine& item : results.cases)
    code = suite::more_severe(code, code_of(item));
  return code;
}

void print_missing(const std::vector<int64_t>& shards) {
  if (!shards.empty())
    say("shard{} {} missing, so these are not all cases of the suite\n", shards.size() == 1 ? "" : "s",
        fmt::format("{} {}", fmt::join(shards, ", "), shards.size() == 1 ? "is" : "are"));
}

void draw_plots(const fs::path& out) {
  const fs::path folder = out / "plots";
  const int jobs = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const size_t curves = reports::write_plots(reports::load_results(out / "results.json"), folder, jobs);
  say("{} curves as SVG and PNG; to paste into a pull request: {}\n", curves, (folder / "plots.md").string());
}

ExitCode report(const ReportVerbOptions& options) {
  const std::vector<fs::path> folders(options.folders.begin(), options.folders.end());
  if (folders.size() > 1 && options.out.empty())
    throw UserError("cannot merge several folders (no folder for the result); give --out DIR");
  const fs::path out = options.out.empty() ? folders.front() : fs::path(options.out);
  merge_results(folders, out, options.mixed ? suite::Mixing::allowed : suite::Mixing::refused);
  const reports::Results results = reports::render(out / "results.json", out);
  if (options.plots)
    draw_plots(out);
  report_to_github(results, out);
  for (const std::string& difference : results.mixed)
    say("mixed results: {}\n", escape_for_terminal(difference));
  print_missing(results.missing_shards);
  if (options.json)
    print_file(out / "results.json");
  else
    fmt::print("{}\n", (out / "index.html").string());
  return status_of(results);
}

}  // namespace

void add_report(CLI::App& app, Action& action) {
  auto options = std::make_shared<ReportVerbOptions>();
  app.add_option("DIR", options->folders, "Folders with a results.json")->required();
  app.add_option("--out", options->out, "Folder for the report (default: the folder itself)")
      ->type_name("DIR");
  app.add_flag("--json", options->json, "Print the merged results as JSON");
  app.add_flag("--mixed", options->mixed,
               "Allow results of different commits, versions or kinds of machine; every report then says so");
  app.add_flag("--plots", options->plots,
               "Also draw each curve as SVG and PNG, with gnuplot, into DIR/plots");
  app.footer(
      "Examples:\n"
      "  parity report out/suite\n"
      "  parity report out/shard1 out/shard2 --out out/all\n"
      "  parity report out/suite --plots\n"
      "  parity report shards/* --out out/all        the shards of parity run --shard I/N\n"
      "Exit status: that of the run; 3 if a shard is missing and nothing worse is wrong.");
  app.callback([options, &action] { action = [options] { return report(*options); }; });
}

}  // namespace parity::cli
