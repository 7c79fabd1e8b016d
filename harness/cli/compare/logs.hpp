// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/base/exit_code.hpp"
#include "harness/cli/compare/page.hpp"
#include "harness/logs/compare/compare_logs.hpp"
#include "harness/logs/read/read_log.hpp"

namespace parity::cli {

/// Two sides of which at least one is a log.
struct LogOptions {
  std::string expected, actual;
  std::string out;  ///< folder of the last run, for CASE:ARM
  logs::ReadOptions read;
  logs::LogFilter filter;
  bool json = false;
  ComparisonFile page = {};
  std::vector<std::string> noise = {};  ///< runs with other seeds
};

/// Compares the channels of two sides, each a log or a trace, and prints what was recognised, compared and
/// left out.
ExitCode compare_logs_or_traces(const LogOptions& options);

}  // namespace parity::cli
