// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "harness/suite/plan/plan.hpp"
#include "harness/suite/runs/store.hpp"

namespace parity::suite {

/// Returns a sentence that says why arms with an earlier run are run again: "2 arms run again; changed since
/// the last run: environment variable OMP_PROC_BIND (new) (2)". Returns "" if no arm is run again, or if no
/// earlier run is known.
///
/// Looks only at cases with an arm whose run is not in the store, so a fully cached suite pays nothing.
/// \param out  results folder, with the last results of each case
std::string explain_reruns(const Plan& plan, const RunStore& store, const std::filesystem::path& out);

}  // namespace parity::suite
