// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/logs/compare/match_channels.hpp"
#include "harness/logs/compare/pair_channels.hpp"

namespace parity::logs {

/// How many steps were compared.
struct StepCounts {
  size_t common = 0, first = 0, second = 0;

  bool operator==(const StepCounts&) const = default;
  bool all() const { return common == first && common == second; }
  /// Returns "all 200 steps", or "10 common steps (the first has 100, the second 10)".
  std::string text() const;
};

/// Counts the steps of two logs, the second's moved by `shift`.
/// \throws UserError (exit 3) if no step is common
StepCounts count_steps(const Log& first, const Log& second, int64_t shift);

/// Returns why two logs do not cover the same part of the run with a channel; "" if they do. Logging every k
/// steps leaves less than k steps at an end.
std::string length_mismatch(const CurveDifference& row, const LogChannel& first, const LogChannel& second,
                            int64_t shift);

/// Returns why too few steps of a channel were compared for a verdict; "" if there are enough.
///
/// Between the first and the last step of both, logs that have the same steps have enough. Otherwise half of
/// the steps have to be common, counted at the larger of the two intervals of logging, and at least
/// fewest_of_many. The rest would be a guess.
std::string coverage_problem(const CurveDifference& row, const LogChannel& first, const LogChannel& second,
                             int64_t shift);

/// Returns why a channel lacks values that were due; "" if it does not. A value is due at a step where the
/// other log has one, where the own log has a row, and which the channel's interval reaches (due_steps).
/// \param rows_first, rows_second  the steps of the two logs, each as the log counts them
std::string hole_problem(const CurveDifference& row, const LogChannel& first, const LogChannel& second,
                         const std::vector<int64_t>& rows_first, const std::vector<int64_t>& rows_second,
                         int64_t shift);

/// Returns why agreement in the digits that the logs have proves too little; "" if it does not. A training
/// result that was rounded needs fewest_that_prove digits, and so does the one of both logs that has most.
std::string digits_problem(const std::vector<CurveDifference>& rows, const Log& first, const Log& second);

/// Fewest common steps where most steps of a log are not common.
inline constexpr size_t fewest_of_many = 10;

/// Returns why equal channels would not show that two trainings computed the same; "" if they would. A
/// quantity that follows from the weights has to be equal and to change. The loss, grad_norm and lr of one
/// log alone are too little, unless the filter names what is enough.
std::string evidence_problem(const std::vector<CurveDifference>& rows, const ChannelMatch& match,
                             const LogFilter& filter);

}  // namespace parity::logs
