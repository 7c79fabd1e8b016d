// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/coverage/pairs.hpp"
#include "harness/coverage/starts.hpp"
#include "harness/suite/cases/case.hpp"

namespace parity::coverage {

/// How often an act happened in the arms whose config allows it.
struct ActCount {
  std::string name;
  std::vector<std::string> acted;    ///< arms
  int64_t idle = 0;                  ///< arms that were run, without it
  std::vector<std::string> unknown;  ///< arms without a trace, or whose trace lacks what shows it
};

/// What the arms of a suite cover.
struct Survey {
  std::vector<ArmFeatures> arms;
  std::vector<Pair> pairs;
  std::vector<ActCount> acts;
  std::vector<WayToStart> starts;
  int64_t arms_run = 0;      ///< arms with a trace
  int64_t command_arms = 0;  ///< arms of other programs, which are not surveyed

  int64_t count(PairState state) const;
};

/// Where a survey looks for configs and traces.
struct SurveySource {
  std::filesystem::path trainer;
  std::filesystem::path out;  ///< results folder; its runs tell what acted
};

/// Surveys the arms of cases that parity-train runs. Starts no run.
/// \throws UserError for cases that would not run, a missing trainer, or a trainer without --check
Survey survey(const std::vector<suite::Case>& cases, const SurveySource& source);

}  // namespace parity::coverage
