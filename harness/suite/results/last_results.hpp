// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "harness/base/json.hpp"

namespace parity {

/// Keeps a case's part of results.json as OUT/cases/<case>.json. results.json itself holds the last suite
/// only; here the last run of each case stays to be asked about, whatever ran since. A digest over its
/// content goes with it, as `seal`.
void keep_results(const Json& results_of_case, const std::filesystem::path& out);

/// What keep_results kept.
/// \throws UserError (exit 3) if no run of that case is in `out`
Json last_results(const std::string& case_name, const std::filesystem::path& out);

/// Takes the seal out of what last_results returned. \return whether the content is as keep_results wrote it
bool take_seal(Json& results);

/// The trace that words on a command line mean: a file, a run folder, CASE:ARM of the last run of that case,
/// or CASE:ARM:float64 for the arm's twin. What exists as a file is taken as one.
/// \throws UserError for an unknown arm (with the known ones), no such run or twin (exit 3)
std::filesystem::path find_trace(const std::string& words, const std::filesystem::path& out);

}  // namespace parity
