// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/run_cases.hpp"

#include <cstdio>

#include <fmt/format.h>

#include "harness/base/process.hpp"
#include "harness/base/terminal.hpp"
#include "harness/cli/github.hpp"
#include "harness/suite/results.hpp"
#include "reports/render.hpp"
#include "reports/results.hpp"
#include "reports/terminal.hpp"

namespace parity::cli {
namespace {

reports::Colour colour() {
  return Style::for_stream(stdout).bold("x") == "x" ? reports::Colour::plain : reports::Colour::ansi;
}

/// One case in the form that renderers read.
reports::Results parsed(const SuiteOptions& options, const Json& cases) {
  const Json whole = {{"schema", "parity.results/1"},
                      {"producer", options.producer},
                      {"command", options.command},
                      {"started", ""},
                      {"seconds", 0},
                      {"environment", Json::object()},
                      {"summary", summary_of(cases, {})},
                      {"cases", cases}};
  return reports::parse_results(json_text(whole), "results");
}

void print_case(const SuiteOptions& options, const Json& item) {
  const reports::Results results = parsed(options, Json::array({item}));
  fmt::print("{}\n", reports::terminal_case(results.cases.at(0), colour(), terminal_width(stdout)));
  std::fflush(stdout);
}

/// What was typed, but what is finished is taken from the cache.
std::vector<std::string> words_to_go_on(std::vector<std::string> words) {
  std::erase(words, "--no-cache");
  return words;
}

std::vector<std::string> rerun_words(const SuiteOptions& options) {
  std::vector<std::string> words = {"parity", "run", "--rerun-failed"};
  if (options.out != SuiteOptions().out)
    words.insert(words.end(), {"--out", options.out.string()});
  return words;
}

}  // namespace

ExitCode run_cases(const std::vector<Case>& cases, const SuiteOptions& options, Output output) {
  Progress progress(stderr);
  const Json results = run_suite(cases, options, progress, [&](const Json& item) {
    if (output == Output::text)
      print_case(options, item);
  });
  const std::filesystem::path file = options.out / "results.json";
  reports::render(file, options.out);
  tell_github(options.out);
  if (output == Output::json)
    fmt::print("{}\n", json_text(results, 1));
  else
    fmt::print("{}",
               reports::terminal_summary(reports::load_results(file), colour(), terminal_width(stdout)));
  std::fflush(stdout);
  const size_t judged = results.at("cases").size();
  const size_t total = judged + results.at("unfinished").size();
  if (results.at("interrupted").get<bool>()) {
    fmt::print(stderr, "interrupted: {} of {} cases are judged, finished runs are kept; go on with: {}\n",
               judged, total, shell_quote(words_to_go_on(options.command)));
    return ExitCode::interrupted;
  }
  if (judged < total)
    fmt::print(stderr, "stopped at the first failure: {} of {} cases are judged, finished runs are kept\n",
               judged, total);
  fmt::print(stderr, "report: {}\n", (options.out / "index.html").string());
  if (const int64_t failed = results.at("summary").at("failed"); failed > 1)
    fmt::print(stderr, "these {} again: {}\n", failed, shell_quote(rerun_words(options)));
  return exit_code_of(results);
}

}  // namespace parity::cli
