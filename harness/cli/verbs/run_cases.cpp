// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/verbs/run_cases.hpp"

#include <cstdio>

#include <fmt/format.h>

#include "harness/base/processes/process.hpp"
#include "harness/base/terminal/say.hpp"
#include "harness/base/terminal/terminal.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/cli/print/file.hpp"
#include "harness/cli/print/github.hpp"
#include "harness/suite/results/case_outcome.hpp"
#include "reports/model/case.hpp"
#include "reports/render.hpp"
#include "reports/text/terminal.hpp"

namespace parity::cli {
namespace {

reports::Colour colour() {
  return Style::for_stream(stdout).bold("x") == "x" ? reports::Colour::plain : reports::Colour::ansi;
}

/// Prints each case when it is judged, or nothing if the results are printed as JSON.
suite::CaseListener case_printer(Output output) {
  if (output == Output::json)
    return {"none", [](const results::Case&) { return std::string(); }, [](const std::string&) {}};
  const int width = terminal_width(stdout);
  return {fmt::format("{} {}", colour() == reports::Colour::ansi ? "ansi" : "plain", width),
          [width](const results::Case& item) { return reports::terminal_case(item, colour(), width); },
          [](const std::string& text) {
            fmt::print("{}\n", text);
            std::fflush(stdout);
          }};
}

/// Returns the command line that resumes the suite: as typed, but with finished runs taken from the cache.
std::vector<std::string> words_to_resume(std::vector<std::string> words) {
  std::erase(words, "--no-cache");
  return words;
}

std::vector<std::string> rerun_command(const suite::SuiteOptions& options) {
  std::vector<std::string> words = {"parity", "run", "--rerun-failed"};
  suite::add_out_option(words, options.out);
  return words;
}

/// Draws the pages of the report that this run replaced, and names them.
void show_earlier(const suite::EarlierReport& earlier) {
  reports::render(earlier.folder / "results.json", earlier.folder);
  say("the report of {} case{} of {} is kept: {}\n", earlier.cases, earlier.cases == 1 ? "" : "s",
      earlier.started.empty() ? "an earlier run" : escape_for_terminal(earlier.started),
      (earlier.folder / "index.html").string());
}

}  // namespace

ExitCode run_cases(const std::vector<suite::Case>& cases, const suite::SuiteOptions& options, Output output) {
  Progress progress(stderr);
  const suite::SuiteOutcome outcome = run_suite(cases, options, progress, case_printer(output));
  const std::filesystem::path file = options.out / "results.json";
  const reports::Results results = reports::render(file, options.out);
  report_to_github(results, options.out);
  if (output == Output::json)
    print_file(file);
  else
    fmt::print("{}", reports::terminal_summary(results, colour(), terminal_width(stdout)));
  std::fflush(stdout);
  const size_t judged = outcome.cases.size();
  const size_t total = judged + outcome.unfinished.size();
  if (outcome.earlier)
    show_earlier(*outcome.earlier);
  if (outcome.interrupted) {
    say("interrupted: {} of {} cases are judged, finished runs are kept; resume with: {}\n", judged, total,
        shell_quote(words_to_resume(options.command)));
    return ExitCode::interrupted;
  }
  if (judged < total)
    say("stopped at the first failure: {} of {} cases are judged, finished runs are kept\n", judged, total);
  if (options.shard && total == 0)
    say("shard {} is empty: nothing to judge (the suite has fewer cases than shards)\n",
        options.shard->text());
  say("report: {}\n", (options.out / "index.html").string());
  if (const int64_t failed = count_failed(outcome.cases); failed > 1)
    say("run these {} again: {}\n", failed, shell_quote(rerun_command(options)));
  return exit_code_of(outcome.cases, options.shard ? suite::Part::shard : suite::Part::whole);
}

}  // namespace parity::cli
