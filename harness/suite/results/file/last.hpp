// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "harness/results/case.hpp"

namespace parity::suite {

/// Returns what keep_results wrote for a case.
/// \throws UserError (exit 3) if no run of that case is in `out`; (exit 2) if the file is damaged
results::Case last_results(const std::string& case_name, const std::filesystem::path& out);

/// Returns the trace that an argument of a command line names: a file, a run folder, CASE:ARM of the last run
/// of that case, or CASE:ARM:float64 for the arm's twin. The name of an existing file is always that file.
/// \throws UserError for an unknown arm (with the known ones), or if there is no such run or twin (exit 3)
std::filesystem::path find_trace(const std::string& words, const std::filesystem::path& out);

}  // namespace parity::suite
