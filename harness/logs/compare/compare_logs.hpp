// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/base/exit_code.hpp"
#include "harness/base/json/json.hpp"
#include "harness/logs/compare/coverage.hpp"
#include "harness/logs/compare/filter.hpp"
#include "harness/logs/compare/match_channels.hpp"
#include "harness/logs/compare/pair_channels.hpp"
#include "harness/logs/log.hpp"

namespace parity::logs {

/// The difference between two logs.
struct LogDifference {
  std::vector<CurveDifference> channels;
  ChannelMatch match;
  StepCounts steps;
  std::string fewer;  ///< which channels were compared at fewer steps, with ", " before it; "" if none
  LogFilter filter;
  std::vector<std::string> notes;  ///< what was left out or moved
  std::string mismatch;            ///< why the lengths differ; "" if they do not
  std::string missing;             ///< why agreement would prove nothing; "" if it would
  size_t differing = 0;            ///< channels that differ

  bool agrees() const { return differing == 0 && mismatch.empty(); }
  /// Returns agree, differ, or missing: what was compared agrees, but it proves too little.
  ExitCode exit_code() const;
  /// Returns the verdict in a sentence: the word, how many channels and steps, and what is left out.
  std::string verdict() const;
  Json to_json() const;
};

/// Compares the channels that both logs have, at the steps that both have.
/// \throws UserError (exit 3) if no channel or no step is common
LogDifference compare_logs(const Log& expected, const Log& actual, const LogFilter& filter);

}  // namespace parity::logs
