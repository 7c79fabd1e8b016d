// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "harness/base/exit_code.hpp"
#include "harness/base/json/json.hpp"
#include "harness/suite/plan/planned_run.hpp"

namespace parity::suite {

/// Returns the task of a job that executes a run in this working folder (job.json).
/// \param out  the suite's output folder, for traces of other runs
Json run_task(const PlannedRun& run, const std::filesystem::path& trainer, const std::filesystem::path& out);

/// Returns the task of a job that describes its machine.
Json machine_task();

/// Executes the task of a job on this machine: what `parity job FOLDER` does on a node.
///
/// The run's own folder is in the job's folder. Ranks do not inherit variables of the scheduler, so a run is
/// what it is without one. The result, also a failure, is result.json in the job's folder. A job that a
/// signal ends writes no result, since whoever sent it decides whether the run starts again.
/// \throws UserError if the folder has no task
ExitCode execute_job(const std::filesystem::path& folder);

/// Removes what is known of a site's machines from OUT/jobs.
void forget_machine(const std::filesystem::path& jobs);

}  // namespace parity::suite
