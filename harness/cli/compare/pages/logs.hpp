// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/logs/compare/compare_logs.hpp"
#include "harness/logs/log.hpp"
#include "reports/compare/comparison.hpp"

namespace parity::cli {

/// A log that was read.
struct ReadLog {
  logs::Log log;
  std::filesystem::path file;  ///< "-" for the standard input
  bool ended = true;           ///< false for the trace of a run that failed or did not end
};

/// Returns what a page shows of a comparison of logs.
/// \param sides  at least two
/// \param pairs  the differences of the second side and the following from the first
/// \param seeds  runs of other seeds, whose gap to the first side is the band of noise. Without them the band
///               of a loss is its noise from step to step
reports::Comparison comparison_of_logs(const std::vector<ReadLog>& sides,
                                       const std::vector<logs::LogDifference>& pairs,
                                       const std::vector<logs::Log>& seeds);

}  // namespace parity::cli
