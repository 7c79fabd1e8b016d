// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "harness/suite/judge/judge_case.hpp"
#include "harness/suite/plan/plan.hpp"
#include "harness/suite/runs/store.hpp"

namespace parity::suite {

/// Returns why `bisect` cannot re-run two arms to compare them in more detail; "" if it can. The arms may be
/// different programs.
std::string reason_not_rerun(const Arm& a, const Arm& b);

/// Returns why `bisect options` cannot switch what differs between two arms; "" if it can, which needs one
/// program that reads the keys of both.
std::string reason_not_switched(const Arm& a, const Arm& b);

/// Returns the shell command that searches for the cause of a failed check: of a difference between two arms
/// that should agree, or between an arm and its golden.
///
/// Returns "" if there is no such search: the check holds or asks for a difference, an arm did not finish,
/// or no golden is stored.
/// \param out  results folder; added as `--out` unless it is the default
std::string bisect_command(const PlannedCase& planned, const JudgedCheck& judged,
                           const std::map<std::string, RunResult>& runs, const std::filesystem::path& out);

}  // namespace parity::suite
