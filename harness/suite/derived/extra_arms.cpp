// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/derived/extra_arms.hpp"

#include <chrono>
#include <thread>
#include <utility>

#include "harness/base/error.hpp"
#include "harness/base/files/folder_lock.hpp"
#include "harness/base/processes/process.hpp"
#include "harness/base/processes/signals.hpp"
#include "harness/suite/plan/context.hpp"
#include "harness/suite/plan/identity/content_hash.hpp"
#include "harness/suite/runs/runner.hpp"
#include "harness/suite/runs/status.hpp"

namespace parity::suite {
namespace fs = std::filesystem;

Case with_extra_arms(Case source, const std::vector<ExtraArm>& extra) {
  for (const ExtraArm& each : extra) {
    Arm arm = source.arm(each.of);
    arm.name = each.name();
    arm.stands_for = each.of;
    arm.profile = each.profile;
    arm.float64 = arm.float64 && each.twin;
    arm.faults = each.faults;
    arm.span = each.span;
    arm.capture = each.capture;
    for (const auto& [key, value] : each.config)
      arm.config[key] = {value, Place{"arm " + arm.name, 0, 0}};
    source.arms.push_back(std::move(arm));
  }
  return source;
}

PlannedCase plan_arms(const Case& source, const RunSettings& settings) {
  ContentHashes hashes(settings.out / "content_hashes.json");
  Plan plan(plan_context(settings.trainer, hashes));
  plan.add(source);
  return plan.cases().front();
}

ArmRuns run_arms(const Case& source, const RunSettings& settings, Progress& progress) {
  const FolderLock lock(settings.out, shell_quote(settings.command));
  const InterruptGuard guard;
  ContentHashes hashes(settings.out / "content_hashes.json");
  const RunStore store(settings.out);
  Plan plan(plan_context(settings.trainer, hashes));
  plan.add(source);
  Runner runner({fs::absolute(settings.trainer), settings.jobs, settings.use_cache}, store);
  for (const std::string& id : plan.order())
    runner.add(plan.runs().at(id));
  RunStatus status(progress);
  bool stopped = false;
  while (runner.busy()) {
    if (interrupted() && !std::exchange(stopped, true))
      runner.interrupt();
    status.show(runner);
    if (runner.poll().empty())
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  progress.clear();
  if (stopped)
    throw UserError("interrupted; finished runs are kept, and the same command resumes",
                    ExitCode::interrupted);
  const PlannedCase& planned = plan.cases().front();
  return {planned, runner.results(), Evidence(planned, runner.results(), store)};
}

}  // namespace parity::suite
