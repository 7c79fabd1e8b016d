// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/suite/cases/config_schema.hpp"
#include "harness/suite/plan/context.hpp"
#include "harness/suite/plan/planned_run.hpp"

namespace parity::suite {

/// Returns everything that may change what a run computes. Runs with equal identities are one run, with one
/// trace.
///
/// In addition to the config, the files and the machine, it has `surroundings`: the inherited environment
/// and, for a command, its expanded words, its program and the whole config. The identity of a command
/// without inputs includes the path of its case and the name of its arm.
/// \param schema  of the trainer; null if no arm of the case runs it
Json run_identity(const PlanContext& context, const ConfigSchema* schema, const Case& source, const Arm& arm,
                  const PlannedRun& run);

/// Returns a digest of an identity without the program, the machine and the shell. Stored evidence is bound
/// to this digest; the effect of the other three is checked by comparing bits. Keys at their default are left
/// out, so evidence stays valid when the trainer gains a key.
/// \param schema  as given to run_identity
std::string resolved_digest(Json identity, const ConfigSchema* schema);

}  // namespace parity::suite
