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

/// Returns a shell command that helps to investigate the result of a check.
///
/// | situation                   | command                                                             |
/// | --------------------------- | ------------------------------------------------------------------- |
/// | a run of the check failed   | shows its stderr, or runs the case again if there is none           |
/// | replicas differ             | replica_command()                                                   |
/// | replicas are equal          | reproduce_command()                                                 |
/// | laws                        | `parity audit CASE:ARM`                                             |
/// | golden check                | shows the golden's difference, or records one if there is none      |
/// | any other check             | `parity compare A B`, limited to its quantity and worst step        |
///
/// \param out  results folder; added as `--out` unless it is the default
std::string follow_up_command(const PlannedCase& planned, const JudgedCheck& judged,
                              const std::map<std::string, RunResult>& runs, const std::filesystem::path& out);

}  // namespace parity::suite
