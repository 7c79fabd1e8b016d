// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "harness/suite/judge/judge_case.hpp"
#include "harness/suite/plan/plan.hpp"
#include "harness/suite/runs/store.hpp"

namespace parity {

/// Why two arms cannot be held beside each other by running them again with more recorded; "" if they can:
/// both are trained by one program that reads its config.
std::string why_not_beside(const Arm& a, const Arm& b);

/// The command that searches for the cause of what a check found, ready to be pasted: of two arms that should
/// agree and do not, of an arm that left its golden. "" where there is no such search: the check holds, or
/// asks for a difference; a side did not finish, or is another program; nothing is stored.
/// \param out  folder of the results; named in the command where it is not the default
std::string bisect_command(const PlannedCase& planned, const JudgedCheck& judged,
                           const std::map<std::string, RunResult>& runs, const std::filesystem::path& out);

}  // namespace parity
