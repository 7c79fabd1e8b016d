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

/// The command that looks closer at what a check found, ready to be pasted: the arms beside each other where
/// both finished, else the words of the one that did not; a golden's difference, or how to record one.
/// \param out  folder of the results; named in the command where it is not the default
std::string follow_up_command(const PlannedCase& planned, const JudgedCheck& judged,
                              const std::map<std::string, RunResult>& runs, const std::filesystem::path& out);

}  // namespace parity
