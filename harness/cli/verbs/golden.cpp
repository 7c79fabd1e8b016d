// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "harness/base/enum_names.hpp"
#include "harness/base/error.hpp"
#include "harness/base/terminal/say.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/base/text/nearest.hpp"
#include "harness/cli/options/cases.hpp"
#include "harness/cli/options/own_program.hpp"
#include "harness/cli/options/runs.hpp"
#include "harness/cli/verbs/run_cases.hpp"
#include "harness/cli/verbs/verbs.hpp"
#include "harness/suite/cases/read/file.hpp"
#include "harness/suite/goldens/check.hpp"
#include "harness/suite/goldens/review.hpp"
#include "harness/suite/goldens/unused_goldens.hpp"
#include "reports/render.hpp"

namespace parity::cli {
namespace {

struct RunCaseOptions {
  CaseOptions cases;
  RunOptions run;
  std::string reason;
  std::string drift = "notice";
  std::string golden_size = "64M";
  bool variant = false;
};

struct DiffOptions {
  std::vector<std::string> words;
  std::string out = "out/suite";
  std::string root = "cases";
  std::string report = "out/golden-diff";
  bool json = false;
};

ExitCode record(const RunCaseOptions& options) {
  suite::SuiteOptions suite = options.run.suite_options();
  suite.golden_mode = golden::GoldenMode::update_changed;
  suite.golden_reason = options.reason;
  suite.golden_variant = options.variant;
  return run_cases(options.cases.read_to_run(), suite, options.run.json ? Output::json : Output::text);
}

ExitCode verify(const RunCaseOptions& options) {
  const std::vector<suite::Case> asked = options.cases.read_to_run();
  const std::vector<suite::Case> cases = only_goldens(asked);
  if (cases.empty())
    throw UserError("none of these cases has a golden (their [golden] table names no arms)",
                    ExitCode::missing);
  suite::SuiteOptions suite = options.run.suite_options();
  suite.unused_goldens = options.cases.unused_goldens();
  for (const std::filesystem::path& file : suite::goldens_without_arms(asked))
    if (std::ranges::find(suite.unused_goldens, file) == suite.unused_goldens.end())
      suite.unused_goldens.push_back(file);
  suite.golden_sizes = options.cases.golden_sizes(options.golden_size);
  suite.drift = parse_enum<golden::DriftMode>(options.drift);
  return run_cases(cases, suite, options.run.json ? Output::json : Output::text);
}

bool all_files(const std::vector<std::string>& words) {
  return std::all_of(words.begin(), words.end(),
                     [](const std::string& word) { return word.ends_with(".h5"); });
}

ExitCode print_diffs(const std::vector<suite::GoldenDiff>& diffs, bool json) {
  Json all = Json::array();
  bool identical = true;
  for (const suite::GoldenDiff& diff : diffs) {
    identical = identical && diff.identical;
    all.push_back(diff.json);
    if (!json && diffs.size() > 1)
      fmt::print("## {}\n\n", diff.json.at("name").get<std::string>());
    if (!json)
      fmt::print("{}{}", escape_for_terminal(diff.text), diffs.size() > 1 ? "\n" : "");
  }
  if (json)
    fmt::print("{}\n", Json({{"identical", identical}, {"goldens", all}}).dump(1));
  return identical ? ExitCode::agree : ExitCode::differ;
}

/// Returns the differences between goldens and the last runs of their cases.
std::vector<suite::GoldenDiff> diff_with_last_runs(const DiffOptions& options) {
  std::vector<suite::GoldenDiff> diffs;
  for (const std::filesystem::path& file : suite::find_case_files({options.words, {}}, options.root))
    if (const suite::Case source = suite::read_case(file); !source.golden.arms.empty())
      diffs.push_back(diff_with_last_run(source, options.out));
  if (diffs.empty())
    throw UserError("none of these cases has a golden (their [golden] table names no arms)",
                    ExitCode::missing);
  return diffs;
}

ExitCode diff_with_revision(const DiffOptions& options) {
  const suite::GoldenReview review = suite::review_goldens(options.words.front(), options.root,
                                                           {options.words.begin() + 1, options.words.end()});
  if (options.json)
    fmt::print("{}\n", review_json(review).dump(1));
  else
    fmt::print("{}", escape_for_terminal(review_text(review)));
  const std::filesystem::path out = options.report;
  write_review_results(review, producer(), own_command_line(), out / "results.json");
  reports::render(out / "results.json", out);
  say("pictures: {}\n", (out / "index.html").string());
  return review.identical() ? ExitCode::agree : ExitCode::differ;
}

std::vector<std::string> case_names(const std::string& root) {
  std::vector<std::string> names;
  for (const std::filesystem::path& file : suite::find_case_files({}, root))
    names.push_back(file.lexically_relative(root).replace_extension("").generic_string());
  return names;
}

bool names_a_case(const std::string& word, const std::string& root) {
  try {
    return !suite::find_case_files({{word}, {}}, root).empty();
  } catch (const UserError&) {
    return false;
  }
}

ExitCode diff(const DiffOptions& options) {
  const std::string& first = options.words.front();
  if (options.words.size() == 2 && all_files(options.words))
    return print_diffs({suite::diff_files(options.words[0], options.words[1])}, options.json);
  if (names_a_case(first, options.root))
    return print_diffs(diff_with_last_runs(options), options.json);
  if (!suite::is_revision(first, options.root)) {
    const std::string meant = nearest(first, case_names(options.root));
    throw UserError(fmt::format(
        "'{}' is neither a case{} nor a revision of a git repository around {}; 'parity list' shows the "
        "cases, 'git log --oneline' the commits",
        escape_to_line(first), meant.empty() ? "" : fmt::format(" (did you mean '{}'?)", meant),
        options.root));
  }
  return diff_with_revision(options);
}

ExitCode history(const DiffOptions& options) {
  Json all = Json::array();
  for (const std::filesystem::path& file : suite::find_case_files({options.words, {}}, options.root)) {
    const suite::Case source = suite::read_case(file);
    if (source.golden.arms.empty())
      continue;
    const golden::Golden golden = golden::read_golden(source.golden_file);
    all.push_back({{"name", source.name},
                   {"producer", golden.origin.producer},
                   {"commit", golden.origin.commit},
                   {"content", golden.stored_digest},
                   {"history", history_json(golden.history)}});
    if (options.json)
      continue;
    fmt::print("{}: recorded by {} ({})\n", escape_to_line(source.name),
               escape_to_line(golden.origin.producer), escape_to_line(golden.origin.commit));
    for (const golden::GoldenChange& change : golden.history)
      fmt::print("  {}  {}\n", escape_to_line(change.commit), escape_for_terminal(change.reason));
  }
  if (options.json)
    fmt::print("{}\n", all.dump(1));
  return ExitCode::agree;
}

std::shared_ptr<RunCaseOptions> add_running(CLI::App& app, Action& action,
                                            ExitCode (*function)(const RunCaseOptions&)) {
  auto options = std::make_shared<RunCaseOptions>();
  options->cases.add_to(app);
  options->cases.add_venv_to(app);
  options->run.add_to(app);
  app.callback([options, &action, function] { action = [options, function] { return function(*options); }; });
  return options;
}

void add_record(CLI::App& app, Action& action) {
  const auto options = add_running(app, action, record);
  app.add_option("--reason", options->reason,
                 "Reason for changes of stored values, kept in the golden's history")
      ->type_name("TEXT");
  app.add_flag(
      "--variant", options->variant,
      "Store values that drifted next to the present ones, so that both environments pass bit for bit");
  app.footer(
      "Examples:\n"
      "  parity golden record cases/lr/warmup_index.toml\n"
      "  parity golden record 'lr/*' --reason \"rates are rounded to float32 since #12\"\n"
      "  parity golden record lr --variant --reason \"the new runners have other kernels\"\n"
      "A golden is written only if the case's checks pass. A golden with the same values does not change.\n"
      "One with other values changes only with a reason, and only in the arms that differ.");
}

void add_verify(CLI::App& app, Action& action) {
  const auto options = add_running(app, action, verify);
  add_drift_option(app, options->drift);
  add_golden_size_option(app, options->golden_size);
  app.footer(
      "Examples:\n"
      "  parity golden verify            all goldens; one that belongs to no case fails\n"
      "  parity golden verify --max-total-size 128M   also fail if they take more than 128 MiB\n"
      "  parity golden verify 'lr/*'     one topic");
}

void add_common(CLI::App& app, DiffOptions& options) {
  app.add_option("--cases", options.root, "Folder of the cases")->type_name("DIR")->capture_default_str();
  app.add_flag("--json", options.json, "Print the result as JSON");
}

void add_diff(CLI::App& app, Action& action) {
  auto options = std::make_shared<DiffOptions>();
  app.add_option("REV|CASE|GOLDEN", options->words,
                 "Git revision and cases, or cases (compared with their last run), or two golden files")
      ->required();
  app.add_option("--out", options->out, "Folder of the last run")->type_name("DIR")->capture_default_str();
  app.add_option("--report", options->report, "Folder for the report with pictures, for a revision")
      ->type_name("DIR")
      ->capture_default_str();
  add_common(app, *options);
  app.footer(
      "Examples:\n"
      "  parity golden diff HEAD~1                               every golden since then, with pictures\n"
      "  parity golden diff origin/main 'lr/*' --json            one topic, as JSON\n"
      "  parity golden diff lr/warmup_index                      the golden and the last run\n"
      "  parity golden diff before.h5 golden/lr/warmup_index.h5  two files\n"
      "A word that is both a case and a revision means the case. Exit status 1 if values differ.");
  app.callback([options, &action] { action = [options] { return diff(*options); }; });
}

void add_history(CLI::App& app, Action& action) {
  auto options = std::make_shared<DiffOptions>();
  app.add_option("CASE", options->words, "Case files, folders, names or globs over names (default: all)");
  add_common(app, *options);
  app.footer(
      "Examples:\n"
      "  parity golden history lr/warmup_index");
  app.callback([options, &action] { action = [options] { return history(*options); }; });
}

constexpr Verb golden_verbs[] = {
    {"record", "Run cases and store their values if they changed", add_record},
    {"verify", "Run the arms in goldens, and compare only with the goldens", add_verify},
    {"diff", "Compare goldens with a git revision, a run or each other", add_diff},
    {"history", "Show the reasons for changes of goldens", add_history},
};

}  // namespace

void add_golden(CLI::App& app, Action& action) {
  app.require_subcommand(1);
  add_verbs(app, action, golden_verbs);
  app.footer(
      "Examples:\n"
      "  parity golden record lr/warmup_index\n"
      "  parity golden diff HEAD~1\n"
      "parity golden SUBCOMMAND --help shows more.");
}

}  // namespace parity::cli
