// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/print/coverage.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/json/json.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/cli/options/cases.hpp"
#include "harness/cli/options/runs.hpp"
#include "harness/cli/print/coverage_page.hpp"
#include "harness/cli/verbs/verbs.hpp"
#include "harness/coverage/propose/case_text.hpp"
#include "harness/coverage/propose/trials.hpp"
#include "harness/coverage/survey.hpp"
#include "harness/coverage/survey_json.hpp"
#include "harness/suite/cases/read/file.hpp"
#include "reports/coverage/page.hpp"

namespace parity::cli {
namespace fs = std::filesystem;
namespace {

struct CoverageOptions {
  CaseOptions cases;
  RunOptions run;
  std::string feature;
  std::string html;
  bool missing = false;
  int write = 0;
  uint64_t seed = 1;
};

/// Numbers the names that several proposals or files share.
void make_names_new(std::vector<coverage::ProposedCase>& proposals, const fs::path& folder) {
  std::set<std::string> taken;
  for (coverage::ProposedCase& proposed : proposals) {
    const std::string stem = proposed.name;
    for (int number = 2;
         !taken.insert(proposed.name).second || fs::exists(folder / (proposed.name + ".toml")); ++number)
      proposed.name = fmt::format("{}_{}", stem, number);
  }
}

/// Keeps the case with the arms that hold. Moves the whole case to the results folder if an arm failed.
void settle(const coverage::Trial& trial, const fs::path& failed_folder) {
  const coverage::ProposedCase left = without_failed(trial);
  const bool renewed = std::ranges::any_of(left.arms, &coverage::ProposedArm::same_bits);
  if (trial.held() && !renewed)
    return;
  if (!trial.failed.empty())
    write_file(failed_folder / trial.file.filename(), coverage::case_text(trial.proposed));
  std::error_code ignored;
  if (trial.judged && !trial.plain_failed && !left.arms.empty())
    write_file(trial.file, coverage::case_text(left));
  else {
    fs::remove(trial.file, ignored);
    fs::remove(suite::parse_case(coverage::case_text(trial.proposed), trial.file).golden_file, ignored);
  }
}

void print_trial(const coverage::Trial& trial) {
  if (!trial.judged && trial.failed.empty()) {
    fmt::print("not run {}\n", trial.proposed.name);
    return;
  }
  fmt::print("{} {}: {} of {} arms hold\n", trial.held() ? "kept" : "FAILED", trial.proposed.name,
             trial.plain_failed ? 0 : without_failed(trial).arms.size(), trial.proposed.arms.size());
  for (const coverage::FailedArm& arm : trial.failed)
    fmt::print("  {}: {}\n", arm.name, escape_for_terminal(arm.sentence));
}

ExitCode write_cases(const CoverageOptions& options, const coverage::Survey& found) {
  const suite::SuiteOptions suite = options.run.suite_options();
  const fs::path folder = fs::path(options.cases.root) / "pairs";
  coverage::Proposer proposer(found.pairs, coverage::trainer_validator(suite.trainer, suite.out / "coverage"),
                              options.seed);
  std::vector<coverage::ProposedCase> proposals = proposer.cover(static_cast<size_t>(options.write));
  if (proposals.empty())
    throw UserError("cannot propose a case (no pair is missing that the trainer accepts)");
  make_names_new(proposals, folder);
  Progress progress(stderr);
  bool all_held = true;
  Json all = Json::array();
  const coverage::Trials trials = run_trials(proposals, folder, suite, progress);
  for (const coverage::Trial& trial : trials.all) {
    settle(trial, suite.out / "coverage" / "failed");
    if (!options.run.json)
      print_trial(trial);
    all.push_back(trial_json(trial));
    all_held = all_held && trial.held();
  }
  if (options.run.json)
    fmt::print("{}\n", json_text({{"trials", all}, {"pairs_left", proposer.wanted().size()}}, 1));
  else
    fmt::print("{} allowed pairs have no proposal yet\n", proposer.wanted().size());
  if (trials.interrupted)
    return ExitCode::interrupted;
  return all_held ? ExitCode::agree : ExitCode::differ;
}

ExitCode coverage(const CoverageOptions& options) {
  if (options.write < 0)
    throw UserError("invalid --write (expected a number of cases, 1 or more)");
  const size_t feature = options.feature.empty() ? 0 : coverage::find_feature(options.feature);
  const suite::SuiteOptions suite = options.run.suite_options();
  const coverage::Survey found = coverage::survey(options.cases.read(), {suite.trainer, suite.out});
  if (!options.html.empty())
    write_file(options.html, reports::coverage_page(coverage_matrix(found)));
  if (options.write > 0)
    return write_cases(options, found);
  if (options.run.json)
    fmt::print("{}\n", json_text(coverage::survey_json(found), 1));
  else if (!options.feature.empty())
    fmt::print("{}", feature_text(found, feature));
  else
    fmt::print("{}", options.missing ? missing_text(found) : coverage_text(found));
  return ExitCode::agree;
}

}  // namespace

void add_coverage(CLI::App& app, Action& action) {
  auto options = std::make_shared<CoverageOptions>();
  options->cases.add_to(app);
  options->run.add_to(app);
  CLI::Option* missing = app.add_flag("--missing", options->missing, "List only the missing pairs");
  app.add_option("--feature", options->feature, "List the pairs of one feature")
      ->type_name("FEATURE")
      ->excludes(missing);
  app.add_option("--html", options->html, "Also write the matrix as a page to FILE")->type_name("FILE");
  app.add_option(
         "--write", options->write,
         "Propose up to N cases with missing pairs, run them, and keep those that hold in CASES/pairs")
      ->type_name("N");
  app.add_option("--seed", options->seed, "Seed of the proposals")->type_name("S")->capture_default_str();
  app.footer(
      "Examples:\n"
      "  parity coverage                     the matrix of all pairs of features\n"
      "  parity coverage --missing           pairs that no arm has, though the trainer accepts them\n"
      "  parity coverage --feature restart   the pairs of one feature, with an arm or a reason each\n"
      "  parity coverage 'rl/*' --json       one topic, as JSON (parity.coverage/1)\n"
      "  parity coverage --html pairs.html   the matrix as a page, with an arm or a reason for each pair\n"
      "  parity coverage --html out/suite/coverage.html   the page that the next report of OUT links\n"
      "  parity coverage --write 10          ten cases that have as many missing pairs as possible\n"
      "A key switches most features on. Whether clipping acted or labels were ignored, only a trace in\n"
      "OUT/runs tells: without one, the pair counts as not run. Without --write, nothing runs.\n"
      "Exit status 1: a proposed arm is not equivalent to the plain arm, as it must be by construction.");
  app.callback([options, &action] { action = [options] { return coverage(*options); }; });
}

}  // namespace parity::cli
