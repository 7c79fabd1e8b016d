// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/suite/cases/config_schema.hpp"
#include "harness/suite/plan/context.hpp"
#include "harness/suite/plan/planned_run.hpp"

namespace parity {

/// Returns everything that may change what a run computes. Runs with equal identities are one run, and the
/// trace of one answers for the other.
///
/// Beside the config, the files and the machine, it has `surroundings`: what the run inherits and, of a
/// command, its expanded words, its program and the whole config. A command without inputs is told apart by
/// the path of its case and the name of its arm.
/// \param schema  of the trainer; null where no arm of the case runs it
Json run_identity(const PlanContext& context, const ConfigSchema* schema, const Case& source, const Arm& arm,
                  const PlannedRun& run);

/// Returns a digest of what resolves a run, but for the program, the machine and the shell, whose bits are
/// compared instead. Stored evidence is bound to it.
std::string resolved_digest(Json identity);

}  // namespace parity
