// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/coverage/propose/trials.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/coverage/propose/amplification.hpp"
#include "harness/coverage/propose/case_text.hpp"
#include "harness/suite/cases/precision.hpp"
#include "harness/suite/cases/read/file.hpp"
#include "harness/suite/derived/calibrate.hpp"

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
  const bool all_ended = trial.failed.empty();
  bool is_sound = all_ended, is_by_numbers = all_ended;
  for (const results::Check& check : item.checks) {
    const std::string blamed = check.arms.empty() ? "plain" : check.arms.back();
    if (found_same_bits(check)) {
      for (ProposedArm& arm : trial.proposed.arms)
        arm.same_bits = arm.same_bits || arm.name == blamed;
    } else if (!check.passed) {
      const bool is_of_training = check.relation == name_of(compare::Relation::trained);
      const bool is_equivalence = check.relation == name_of(compare::Relation::equivalent);
      is_sound = is_sound && is_of_training;
      is_by_numbers = is_by_numbers && (is_of_training || is_equivalence);
      add_failure(trial, blamed, check.sentence);
      if (is_equivalence)
        trial.unequal.push_back(blamed);
    }
  }
  trial.untrained = is_sound && !trial.failed.empty();
  if (!is_by_numbers)
    trial.unequal.clear();
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

/// Asks perturbed runs about the trials whose arms differ in numbers alone. Arms that compute in
/// 16 bits have a measured noise floor instead.
void find_amplified(Trials& trials, const suite::SuiteOptions& options, Progress& progress) {
  for (Trial& trial : trials.all) {
    if (!trial.judged || trial.unequal.empty() || suite::computes_in_16_bits(trial.proposed.base))
      continue;
    trial.judged = !trials.interrupted;  // without an answer, a difference is not known to be one
    if (trials.interrupted)
      continue;
    try {
      trial.amplifies =
          explains_by_amplification(suite::read_case(trial.file), trial.unequal, options, progress);
    } catch (const UserError& error) {
      if (error.code() != ExitCode::interrupted)
        throw;
      trials.interrupted = true;
      trial.judged = false;
    }
  }
}

Trials run_once(const std::vector<ProposedCase>& proposals, const fs::path& folder,
                suite::SuiteOptions options, Progress& progress) {
  options.explains_reruns = false;  // names of proposals come again with other configs
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
  find_amplified(trials, options, progress);
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
