// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "harness/suite/plan/plan.hpp"
#include "harness/suite/runs/store.hpp"

namespace parity {

/// Returns why arms that ran before are run again, in a sentence: "12 runs of an earlier suite do not answer:
/// environment variable OMP_PROC_BIND (new) (12)". "" if nothing is run again, or no earlier run is known.
///
/// Looks only at cases of which an arm's run is not there, so a suite that the cache answers pays nothing.
/// \param out  folder of the results, with the last results of each case
std::string explain_reruns(const Plan& plan, const RunStore& store, const std::filesystem::path& out);

}  // namespace parity
