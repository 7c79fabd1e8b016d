// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/slurm/execute.hpp"

#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/host_name.hpp"
#include "harness/base/json/fields.hpp"
#include "harness/base/processes/signals.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/base/text/utc.hpp"
#include "harness/suite/plan/identity/content_difference.hpp"
#include "harness/suite/plan/identity/content_hash.hpp"
#include "harness/suite/plan/identity/inherited_environment.hpp"
#include "harness/suite/plan/identity/machine.hpp"
#include "harness/suite/plan/planned_run_json.hpp"
#include "harness/suite/runs/running_run.hpp"
#include "harness/suite/slurm/attempt.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

/// Removes what the scheduler adds to the environment. A trainer that looks for it would start other ranks
/// than it is asked to. SLURM_CONF stays, by which the scheduler's commands find it.
void clear_scheduler_variables() {
  std::vector<std::string> names;
  for (const auto& [name, value] : inherited_environment())
    if ((name.starts_with("SLURM_") || name.starts_with("SLURMD_")) && name != "SLURM_CONF")
      names.push_back(name);
  for (const std::string& name : names)
    ::unsetenv(name.c_str());
}

Json machine_json(const Machine& machine) {
  return {{"cpu", machine.cpu}, {"gpus", machine.gpus}};
}

Json result_json(const RunResult& result) {
  Json json = {{"seconds", result.seconds},
               {"ended", result.ended},
               {"stderr_tail", result.stderr_tail},
               {"log", result.log.filename().string()}};
  if (result.failure)
    json["failure"] = result.failure->to_json();
  return json;
}

/// Refuses a run that would not be what its identity says: its trace would answer for other runs.
Json refusal(const PlannedRun& run, const Attempt& attempt, const RunStore& store,
             const std::string& problem) {
  RunResult result;
  result.folder = attempt.run_folder();
  result.failure = RunFailure{results::FailureKind::missing,
                              fmt::format("cannot execute {} on {} ({})", run.label,
                                          text_or(attempt.started(), "host"), escape_for_terminal(problem))};
  result.ended = utc_now();
  PlannedRun begun = run;
  store.begin(begun);
  store.finish(begun, result);
  return result_json(result);
}

/// Returns whether the scheduler ends this job. It signals all of a job's processes, and a rank may end
/// before this process has its signal.
bool is_being_ended() {
  for (int i = 0; i < 50 && !interrupted(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return interrupted();
}

/// Executes a run to its end. \return its result; null if a signal ended it
Json execute_run(const PlannedRun& run, const Attempt& attempt, const Json& task) {
  const RunStore store(task.at("out").get<std::string>(), run.id, attempt.run_folder());
  const fs::path trainer = task.at("trainer").get<std::string>();
  const auto work = task.at("folder").get<std::string>();
  std::error_code error;
  fs::current_path(work, error);  // commands may have relative words
  if (error)
    return refusal(run, attempt, store,
                   fmt::format("the node cannot enter {}: {}; run parity in a folder that all nodes share",
                               work, error.message()));
  const Machine here = this_machine();
  if (const std::string problem = machine_difference(parse_json(run.identity), here); !problem.empty()) {
    Json refused = refusal(run, attempt, store,
                           "the node " + problem +
                               "; choose nodes of one kind with options of the site, and "
                               "run the same command again");
    refused["machine"] = machine_json(here);
    return refused;
  }
  ContentHashes hashes(attempt.folder().parent_path().parent_path() /
                       fmt::format("content_hashes.{}.json", text_or(attempt.started(), "host")));
  if (const std::string changed = content_difference(run, trainer, hashes); !changed.empty()) {
    if (is_being_ended())
      return nullptr;  // its tools were ended with it
    return refusal(run, attempt, store,
                   "not as planned: " + changed +
                       "; it changed while the job waited, or differs between "
                       "machines; run the same command again");
  }
  RunningRun running(run, store, trainer);
  while (!running.poll()) {
    if (interrupted()) {
      running.interrupt();
      return nullptr;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return running.result().failure && is_being_ended() ? Json() : result_json(running.result());
}

}  // namespace

Json run_task(const PlannedRun& run, const fs::path& trainer, const fs::path& out) {
  std::error_code none;
  return {{"run", to_json(run)},
          {"trainer", trainer.string()},
          {"out", out.string()},
          {"folder", fs::current_path(none).string()}};
}

Json machine_task() {
  return {{"machine", true}};
}

void forget_machine(const fs::path& jobs) {
  std::error_code ignored;
  fs::remove(jobs / "machine.json", ignored);
}

ExitCode execute_job(const fs::path& folder) {
  const Attempt attempt(folder);
  const Json task = attempt.task();
  if (text_or(task, "schema") != "parity.job/1")
    throw UserError(fmt::format("cannot execute {} (its job.json is missing, damaged or of another version)",
                                folder.string()));
  const InterruptGuard guard;
  const char* id = std::getenv("SLURM_JOB_ID");
  attempt.write_started({{"host", node_name()}, {"job", id == nullptr ? "" : id}, {"started", utc_now()}});
  Json result = {{"machine", machine_json(this_machine())}};
  if (task.contains("run")) {
    const PlannedRun run = planned_run_from_json(task.at("run"));
    if (run.launch.is_local())
      clear_scheduler_variables();  // a launcher starts its ranks as steps of this job
    result = execute_run(run, attempt, task);
  }
  if (result.is_null())
    return ExitCode::interrupted;
  attempt.write_result(result);
  return ExitCode::agree;
}

}  // namespace parity::suite
