// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/base/exit_code.hpp"
#include "harness/base/json/json.hpp"
#include "harness/compare/curves/series.hpp"
#include "harness/compare/curves/series_difference.hpp"
#include "harness/logs/log.hpp"

namespace parity::logs {

/// What is compared, and how strictly.
struct LogFilter {
  std::vector<std::string> channels;  ///< globs; each must match a channel of both logs
  bool partial = false;               ///< compare logs of different length up to the last common step
  measure::DifferencePolicy policy = {};
};

/// A channel of both logs, at the steps that both have.
struct CurveDifference {
  std::string name;
  compare::Series expected, actual;
  compare::SeriesDifference difference;
};

/// The difference between two logs.
struct LogDifference {
  std::vector<CurveDifference> channels;
  std::vector<std::string> notes;  ///< what was left out or moved
  std::string mismatch;            ///< why the lengths differ; "" if they do not
  std::string missing;             ///< why agreement would prove nothing; "" if it would
  size_t differing = 0;            ///< channels that differ

  bool agrees() const { return differing == 0 && mismatch.empty(); }
  /// Returns agree, differ, or missing: what was compared agrees, but it proves too little.
  ExitCode exit_code() const;
  Json to_json() const;
};

/// Compares the numeric channels that both logs have, at the steps that both have.
/// \throws UserError (exit 3) if no channel or no step is common
LogDifference compare_logs(const Log& expected, const Log& actual, const LogFilter& filter);

}  // namespace parity::logs
