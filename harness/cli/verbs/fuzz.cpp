// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <chrono>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "harness/base/elapsed.hpp"
#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/cli/options/runs.hpp"
#include "harness/cli/verbs/verbs.hpp"
#include "harness/coverage/propose/case_text.hpp"
#include "harness/coverage/propose/files.hpp"
#include "harness/coverage/propose/fuzz_count.hpp"
#include "harness/coverage/propose/trials.hpp"
#include "harness/suite/cases/precision.hpp"

namespace parity::cli {
namespace fs = std::filesystem;
namespace {

constexpr size_t cases_per_round = 4;

struct FuzzOptions {
  RunOptions run;
  std::string time = "10m";
  std::string root = "cases";
  uint64_t seed = 1;
};

/// Returns the seconds of "90s", "30m" or "2h". \throws UserError for any other text
double parse_time(const std::string& text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string unit(end, text.data() + text.size());
  const int64_t seconds = unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : 0;
  if (error != std::errc() || number < 1 || seconds == 0)
    throw UserError(
        fmt::format("invalid --for {} (expected a time such as 90s, 30m or 2h)", parity::quoted(text)));
  return static_cast<double>(number * seconds);
}

/// Returns the allowed pairs, none of them wanted, so that draws aim at nothing.
std::vector<coverage::Pair> allowed_pairs(const coverage::Validator& validate) {
  std::vector<coverage::Pair> pairs = classify_pairs({}, validate);
  for (coverage::Pair& pair : pairs)
    if (pair.state == coverage::PairState::missing)
      pair.state = coverage::PairState::covered;
  return pairs;
}

/// Draws cases whose judgement needs no measured noise.
///
/// \param files  folder of the files of weights and tokens that proposals name
std::vector<coverage::ProposedCase> draw_round(coverage::Proposer& proposer, int64_t round,
                                               const std::string& files) {
  std::vector<coverage::ProposedCase> drawn = proposer.draw_varied(2 * cases_per_round);
  std::erase_if(drawn, [](const auto& each) { return suite::computes_in_16_bits(each.base); });
  if (drawn.size() > cases_per_round)
    drawn.resize(cases_per_round);
  for (size_t i = 0; i < drawn.size(); ++i) {
    drawn[i].name = fmt::format("round{}_{}", round, i + 1);
    coverage::name_files_in(drawn[i], files);
  }
  return drawn;
}

/// Keeps the case file of a difference, and removes the others. Returns whether it is one.
bool keep_difference(const coverage::Trial& trial, const fs::path& failed, bool print) {
  std::error_code ignored;
  fs::remove(trial.file, ignored);
  if (!trial.judged || trial.failed.empty() || trial.untrained || trial.amplifies)
    return false;
  write_file(failed / trial.file.filename(), coverage::case_text(trial.proposed));
  if (print) {
    fmt::print("DIFFERENT {}\n", (failed / trial.file.filename()).string());
    for (const coverage::FailedArm& arm : trial.failed)
      fmt::print("  {}: {}\n", arm.name, escape_for_terminal(arm.sentence));
    std::fflush(stdout);
  }
  return true;
}

void print_found(const coverage::FuzzCount& count, const Json& trials, double seconds, bool json) {
  if (json)
    fmt::print("{}\n", json_text({{"schema", "parity.fuzz/1"},
                                  {"cases", count.cases},
                                  {"arms", count.arms},
                                  {"untrained", count.untrained},
                                  {"amplified", count.amplified},
                                  {"seconds", seconds},
                                  {"different", trials}},
                                 1));
  else
    fmt::print("{}\n", count.sentence(seconds));
}

ExitCode fuzz(const FuzzOptions& options) {
  const double limit = parse_time(options.time);
  const suite::SuiteOptions suite = options.run.suite_options();
  const coverage::Validator validate = coverage::trainer_validator(suite.trainer, suite.out / "coverage");
  coverage::Proposer proposer(allowed_pairs(validate), validate, options.seed);
  const std::string files = fs::absolute(fs::path(options.root) / "pairs").string();
  const auto begin = std::chrono::steady_clock::now();
  coverage::FuzzCount count;
  Json different = Json::array();
  bool interrupted = false;
  const fs::path folder = suite.out / "cases" / "fuzz";
  fs::remove_all(folder);  // what a fuzz left that ended in the middle of a round
  for (int64_t round = 1; seconds_since(begin) < limit && !interrupted; ++round) {
    Progress progress(stderr);
    const coverage::Trials trials = run_trials(draw_round(proposer, round, files), folder, suite, progress);
    interrupted = trials.interrupted;
    for (const coverage::Trial& trial : trials.all) {
      count.add(trial);
      if (keep_difference(trial, suite.out / "failed", !options.run.json))
        different.push_back(trial_json(trial));
    }
  }
  print_found(count, different, seconds_since(begin), options.run.json);
  if (interrupted)
    return ExitCode::interrupted;
  if (count.exit_code() == ExitCode::missing && !options.run.json)
    fmt::print(
        "missing: no case was judged, as the trainer refused every draw, learned too little or amplified "
        "rounding; another --seed draws others\n");
  return count.exit_code();
}

}  // namespace

void add_fuzz(CLI::App& app, Action& action) {
  auto options = std::make_shared<FuzzOptions>();
  options->run.out = "out/fuzz";
  options->run.add_to(app);
  app.add_option("--for", options->time, "Time after which no further round starts: 90s, 30m, 2h")
      ->type_name("TIME")
      ->capture_default_str();
  app.add_option("--cases", options->root, "Folder of the cases, whose files of weights and tokens are used")
      ->type_name("DIR")
      ->capture_default_str();
  app.add_option("--seed", options->seed, "Seed of the draws")->type_name("S")->capture_default_str();
  app.footer(
      "Draws random configs and random layouts of them that compute the same by construction, and runs "
      "them.\n"
      "A difference is a bug. Its case file is kept in OUT/failed, to be run by parity run.\n"
      "Examples:\n"
      "  parity fuzz                       ten minutes\n"
      "  parity fuzz --for 2h --seed 7     other draws, two hours\n"
      "Exit status 1: an arm differs from the plain arm, or did not end. 3: no case was judged.");
  app.callback([options, &action] { action = [options] { return fuzz(*options); }; });
}

}  // namespace parity::cli
