// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "harness/base/json/json.hpp"
#include "harness/golden/golden.hpp"
#include "harness/suite/plan/identity/content_hash.hpp"
#include "harness/suite/plan/plan.hpp"
#include "harness/suite/results/file/kept.hpp"
#include "harness/suite/runs/store.hpp"

namespace parity::suite {

/// Returns the hash of this program. Ask when the program starts: a build may replace its file later.
std::string judging_program(ContentHashes& hashes);

/// Returns a hash over everything that a verdict follows from, the member `judged_from` of a case's results.
/// Equal hashes have equal results.
///
/// The hash covers the case file, the traces of its runs, its golden, the judging program, the drift mode and
/// the orders that `parity reveal` found.
/// \param program  of judging_program()
/// \param out  results folder, which the commands in the results name
/// \returns "" where a run failed, because a trace does not hold the message of the failure
std::string judged_from(const PlannedCase& planned, const std::map<std::string, RunResult>& runs,
                        const RunStore& store, ContentHashes& hashes, const std::filesystem::path& out,
                        golden::DriftMode drift, const std::string& program);

/// Returns the kept results of this case (keep_results), if their hash is `from` and nobody edited them;
/// else nothing.
/// \param from  of judged_from()
std::optional<KeptCase> judged_before(const std::string& case_name, const std::string& from,
                                      const std::filesystem::path& out);

}  // namespace parity::suite
