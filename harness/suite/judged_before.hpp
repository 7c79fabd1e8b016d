// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "harness/base/json.hpp"
#include "harness/golden/golden.hpp"
#include "harness/suite/plan/content_hash.hpp"
#include "harness/suite/plan/plan.hpp"
#include "harness/suite/runs/store.hpp"

namespace parity {

/// Everything a verdict follows from: the case file, the traces of its runs, its golden, the program that
/// judges, and what drift is to it. `judged_from` of a case's results; equal hashes have equal results.
/// \param out  folder of the results, which their commands name
/// \returns "" where a run failed: its words are not in its trace
std::string judged_from(const PlannedCase& planned, const std::map<std::string, RunResult>& runs,
                        const RunStore& store, ContentHashes& hashes, const std::filesystem::path& out,
                        DriftMode drift);

/// Returns the results that keep_results kept of this case, if they follow from the same and nobody edited
/// them.
std::optional<Json> judged_before(const std::string& case_name, const std::string& from,
                                  const std::filesystem::path& out);

}  // namespace parity
