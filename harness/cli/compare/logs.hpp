// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/base/exit_code.hpp"
#include "harness/cli/compare/outputs.hpp"
#include "harness/logs/compare/compare_logs.hpp"
#include "harness/logs/read/read_log.hpp"

namespace parity::cli {

/// Two or more sides of which at least one is a log. The first is the reference.
struct LogOptions {
  std::vector<std::string> sides;
  std::string out;  ///< folder of the last run, for CASE:ARM
  logs::ReadOptions read;
  logs::LogFilter filter;
  bool json = false;
  bool all = false;  ///< show and describe every channel
  ComparisonOutputs outputs = {};
  std::vector<std::string> noise = {};  ///< runs with other seeds
};

/// Compares the channels of each side, a log or a trace, with those of the first. Prints what was recognised,
/// compared and left out.
ExitCode compare_logs_or_traces(const LogOptions& options);

}  // namespace parity::cli
