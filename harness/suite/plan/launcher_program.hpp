// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "harness/suite/plan/planned_run.hpp"

namespace parity::suite {

/// Returns the path of the program that starts the ranks of a run: torchrun beside the Python of the case,
/// or else the launcher in PATH; of an external launcher, its first word. Empty if there is none: the
/// launcher is local, or the command starts its own ranks.
/// \throws UserError (exit 3) if the program is not there
std::filesystem::path launcher_program(const PlannedRun& run);

}  // namespace parity::suite
