// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "harness/base/exit_code.hpp"
#include "harness/suite/cases/case.hpp"
#include "harness/suite/run_suite.hpp"

namespace parity::cli {

enum class Output { text, json };

/// Runs cases and writes the reports. Shows progress on stderr, and on stdout a block for each case or, at
/// the end, results.json.
/// \return the exit code of the suite
ExitCode run_cases(const std::vector<suite::Case>& cases, const suite::SuiteOptions& options, Output output);

}  // namespace parity::cli
