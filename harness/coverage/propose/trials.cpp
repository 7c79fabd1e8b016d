// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/coverage/propose/trials.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/coverage/propose/case_text.hpp"
#include "harness/suite/cases/precision.hpp"
#include "harness/suite/cases/read/file.hpp"
#include "harness/suite/derived/calibrate.hpp"
#include "harness/suite/derived/proofs.hpp"

namespace parity::coverage {
namespace fs = std::filesystem;
namespace {

void add_failure(Trial& trial, const std::string& arm, const std::string& sentence) {
  if (arm == "plain")
    trial.plain_failed = true;
  if (std::ranges::none_of(trial.failed, [&](const FailedArm& each) { return each.name == arm; }))
    trial.failed.push_back({arm, sentence});
}

/// Returns whether a check of `equivalent` is vacuous since arms and twins have the same bits. Other checks
/// are vacuous too: `trained`, if the loss did not fall.
bool found_same_bits(const results::Check& check) {
  const auto is_zero = [&](const char* metric) {
    const auto found = check.measured.find(metric);
    return found != check.measured.end() && found->is_number() && found->get<double>() == 0;
  };
  return check.verdict == name_of(compare::Verdict::vacuous) &&
         check.relation == name_of(compare::Relation::equivalent) && is_zero("gap32") && is_zero("gap64");
}

double number(const Json& table, const char* key) {
  const auto found = table.find(key);
  return found != table.end() && found->is_number() ? found->get<double>() : std::nan("");
}

/// Returns whether the gap of a check of `equivalent` nearly vanishes in float64.
bool collapses(const results::Check& check) {
  return check.relation == name_of(compare::Relation::equivalent) &&
         number(check.measured, "collapse_log2") >= number(check.limit, "collapse_log2");
}

/// Returns whether a failed check of `equivalent` says nothing, since training amplifies rounding: the gap
/// that is left in float64 is about as many roundings as an arm loses in float32. Or the gap collapses, but
/// the plain arm alone loses more roundings than any arm may.
bool amplifies_rounding(const results::Check& check) {
  const double lost = number(check.measured, "roundings_a");
  const double left = number(check.measured, "relative64") / 0x1p-53;
  const bool is_residual = check.verdict == name_of(compare::Verdict::different);
  return check.relation == name_of(compare::Relation::equivalent) &&
         ((is_residual && left <= 4 * std::max(lost, number(check.measured, "roundings_b"))) ||
          (collapses(check) && lost > number(check.limit, "roundings_a")));
}

}  // namespace

void take_results(Trial& trial, const results::Case& item) {
  // Some configs are refused only once the data are drawn: a micro-batch without a label, for example.
  const bool is_refused = std::ranges::all_of(item.arms, [](const results::Arm& arm) {
    return arm.failure && arm.failure->kind == results::FailureKind::bad_config;
  });
  trial.judged = item.skipped.empty() && (item.arms.empty() || !is_refused);
  for (const results::Arm& arm : item.arms)
    if (arm.failed())
      add_failure(trial, arm.name, arm.failure ? arm.failure->message : "its run failed");
  trial.all_ended = trial.collapses = trial.failed.empty();
  bool is_sound = trial.all_ended, is_amplified = false, is_another = false;
  for (const results::Check& check : item.checks) {
    const std::string blamed = check.arms.empty() ? "plain" : check.arms.back();
    if (found_same_bits(check)) {
      for (ProposedArm& arm : trial.proposed.arms)
        arm.same_bits = arm.same_bits || arm.name == blamed;
    } else if (!check.passed) {
      const bool is_of_training = check.relation == name_of(compare::Relation::trained);
      const bool is_amplification = amplifies_rounding(check);
      trial.collapses = trial.collapses && (is_of_training || collapses(check));
      is_sound = is_sound && is_of_training;
      is_amplified = is_amplified || is_amplification;
      is_another = is_another || !(is_of_training || is_amplification);
      add_failure(trial, blamed, check.sentence);
    }
  }
  trial.untrained = is_sound && !trial.failed.empty();
  trial.amplifies = trial.all_ended && is_amplified && !is_another;
}

namespace {

/// Measures the rounding noise of a case whose arms compute in 16 bits, which decides how far they may
/// differ.
void measure_noise(Trial& trial, const suite::Case& source, const suite::SuiteOptions& options,
                   Progress& progress) {
  constexpr int repeats = 1;
  try {
    suite::calibrate_and_record(source, repeats, options, progress);
  } catch (const UserError& error) {
    if (error.code() == ExitCode::interrupted)
      throw;
    add_failure(trial, "plain", error.what());
  }
}

/// Returns whether exact twins can say of a trial that rounding made it fail: its gaps nearly vanish in
/// float64. The twins make two updates, so they say nothing of a defect that comes later and stays in
/// float64.
bool may_be_rounding(const Trial& trial) {
  return trial.judged && !trial.failed.empty() && !trial.untrained && !trial.amplifies && trial.all_ended &&
         trial.collapses;
}

/// Returns whether exact twins prove that each failed arm computes the function of its plain arm.
bool is_proved(const Trial& trial, const results::Case& item) {
  return std::ranges::all_of(trial.failed, [&](const FailedArm& arm) {
    return std::ranges::any_of(item.checks, [&](const results::Check& check) {
      return check.relation == name_of(compare::Relation::same_function) && check.passed &&
             !check.arms.empty() && check.arms.back() == arm.name;
    });
  });
}

/// Runs exact twins of the trials that failed by numbers alone. Where they prove that the arms compute one
/// function, training amplified rounding.
/// \return whether a signal interrupted it
bool prove_failed(std::vector<Trial>& trials, const suite::SuiteOptions& options, Progress& progress) {
  std::vector<suite::Case> cases;
  std::map<std::string, Trial*> by_name;
  for (Trial& trial : trials) {
    if (!may_be_rounding(trial))
      continue;
    cases.push_back(suite::read_case(trial.file));
    suite::add_proofs(cases.back());
    by_name[cases.back().name] = &trial;
  }
  if (cases.empty())
    return false;
  const suite::SuiteOutcome outcome = run_suite(cases, options, progress, [&](const results::Case& item) {
    if (const auto found = by_name.find(item.name); found != by_name.end())
      found->second->amplifies = is_proved(*found->second, item);
  });
  return outcome.interrupted;
}

Trials run_once(const std::vector<ProposedCase>& proposals, const fs::path& folder,
                const suite::SuiteOptions& options, Progress& progress) {
  std::vector<Trial> trials;
  std::vector<suite::Case> cases;
  std::map<std::string, size_t> by_file;
  for (const ProposedCase& proposed : proposals) {
    const fs::path file = folder / (proposed.name + ".toml");
    if (fs::exists(file))
      throw UserError(fmt::format("cannot write {} (it exists); remove it, or propose with another --seed",
                                  file.string()));
    write_file(file, case_text(proposed));
    cases.push_back(suite::read_case(file));
    by_file[cases.back().name] = trials.size();
    trials.push_back({.proposed = proposed, .file = file});
    if (suite::computes_in_16_bits(proposed.base))
      measure_noise(trials.back(), cases.back(), options, progress);
  }
  const suite::SuiteOutcome outcome = run_suite(cases, options, progress, [&](const results::Case& item) {
    if (const auto found = by_file.find(item.name); found != by_file.end())
      take_results(trials[found->second], item);
  });
  return {std::move(trials), outcome.interrupted};
}

/// Returns the proposals whose loss did not fall, with more steps, and removes their files.
std::vector<ProposedCase> longer_proposals(const std::vector<Trial>& trials) {
  constexpr int64_t times = 3;
  std::vector<ProposedCase> longer;
  for (const Trial& trial : trials)
    if (trial.untrained) {
      longer.push_back(trial.proposed);
      longer.back().base["steps"] = times * suite::integer_of(trial.proposed.base, "steps", 10);
      fs::remove(trial.file);
      fs::remove(suite::parse_case(case_text(trial.proposed), trial.file).golden_file);
    }
  return longer;
}

}  // namespace

Trials run_trials(const std::vector<ProposedCase>& proposals, const fs::path& folder,
                  const suite::SuiteOptions& options, Progress& progress) {
  Trials trials = run_once(proposals, folder, options, progress);
  const std::vector<ProposedCase> longer =
      trials.interrupted ? std::vector<ProposedCase>() : longer_proposals(trials.all);
  if (!longer.empty()) {
    Trials again = run_once(longer, folder, options, progress);
    trials.interrupted = again.interrupted;
    for (Trial& trial : again.all)
      *std::ranges::find(trials.all, trial.file, &Trial::file) = std::move(trial);
  }
  trials.interrupted = trials.interrupted || prove_failed(trials.all, options, progress);
  return trials;
}

Json trial_json(const Trial& trial) {
  Json arms = Json::array(), failed = Json::array();
  for (const ProposedArm& arm : trial.proposed.arms)
    arms.push_back(arm.name);
  for (const FailedArm& arm : trial.failed)
    failed.push_back({{"arm", arm.name}, {"sentence", arm.sentence}});
  return {{"case", trial.proposed.name},
          {"file", trial.file.generic_string()},
          {"arms", arms},
          {"judged", trial.judged},
          {"failed", failed}};
}

ProposedCase without_failed(const Trial& trial) {
  ProposedCase left = trial.proposed;
  std::erase_if(left.arms, [&](const ProposedArm& arm) {
    return std::ranges::any_of(trial.failed, [&](const FailedArm& each) { return each.name == arm.name; });
  });
  return left;
}

}  // namespace parity::coverage
