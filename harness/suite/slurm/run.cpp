// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/slurm/run.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/json/fields.hpp"
#include "harness/base/processes/process.hpp"
#include "harness/base/text/utc.hpp"
#include "harness/suite/plan/planned_run_json.hpp"
#include "harness/suite/runs/heartbeat.hpp"
#include "harness/suite/slurm/execute.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
using results::FailureKind;
namespace {

constexpr int most_submissions = 4;  // of a run that nodes or other jobs take away

/// Returns whether a job records what a run needs.
bool answers(const Json& task, const PlannedRun& run) {
  try {
    const PlannedRun other = planned_run_from_json(task.at("run"));
    return other.identity == run.identity && other.capture.includes(run.capture);
  } catch (const std::exception&) {
    return false;  // damaged, or of another version
  }
}

JobNeeds needs_of(const PlannedRun& run, int64_t minutes) {
  JobNeeds needs;
  needs.cpus = run.slots();
  if (!run.launch.is_local()) {
    // torchrun's agents start the ranks of their node, and every other launcher may start each as a step.
    const bool by_agent = run.launch.launcher == Launcher::torchrun;
    needs.nodes = run.launch.nodes;
    needs.tasks_per_node = by_agent ? 1 : run.launch.ranks_per_node;
    needs.cpus = by_agent ? run.launch.ranks_per_node * run.threads : run.threads;
  }
  needs.gpus = text_of(run.config, "device") == "cuda" ? run.ranks : 0;
  needs.minutes = minutes;
  return needs;
}

}  // namespace

SlurmRun::SlurmRun(const PlannedRun& run, SlurmSurroundings around)
    : run_(run), around_(std::move(around)), folder_(around_.jobs / run_.id) {
  result_.folder = around_.store.folder(run_.id);
  around_.store.add_stored_capture(run_);
  const int64_t minutes = around_.times.limit_of(run_);
  has_estimate_ = minutes > 0;
  const std::optional<Attempt> earlier = find_job();
  found_ = earlier.has_value();
  Attempt attempt =
      found_ ? *earlier : Attempt::create(folder_, run_task(run_, around_.trainer, around_.out));
  job_ = std::make_unique<SlurmJob>(
      JobRequest{std::move(attempt), needs_of(run_, minutes), run_.label, around_.program, !found_},
      around_.queue);
}

/// Returns the job of an earlier process that this run continues; cancels one that it must not continue.
std::optional<Attempt> SlurmRun::find_job() {
  auto found = Attempt::find(folder_, [&](const Json& task) { return answers(task, run_); });
  const bool may_continue = around_.found_jobs == FoundJobs::continue_all ||
                            (around_.found_jobs == FoundJobs::continue_cacheable && run_.cacheable);
  if (!found || may_continue)
    return found;
  if (found->result().is_null()) {
    around_.queue.note(
        fmt::format("the job of an earlier command for {} is cancelled; --attach continues it", run_.label));
    around_.queue.cancel(found->id(), *found);
    around_.queue.send_cancels();
  }
  found->mark_cancelled();
  return std::nullopt;
}

bool SlurmRun::poll() {
  if (ended_)
    return true;
  if (!job_->poll())
    return false;
  const JobEnd& end = job_->end();
  switch (end.kind) {
    case JobEnd::Kind::result:
      take_result(job_->attempt().result());
      break;
    case JobEnd::Kind::lost:
      submit_again(end.message);
      break;
    case JobEnd::Kind::expired:
      if (has_estimate_)
        submit_again(end.message);
      else
        take_failure(end.failure, end.message);
      break;
    case JobEnd::Kind::failed:
      take_failure(end.failure, end.message);
      break;
  }
  return ended_;
}

/// Submits the run again in a new folder, since the old job may still write. An estimated time limit that
/// expired is not used again.
void SlurmRun::submit_again(const std::string& why) {
  if (submissions_ == most_submissions)
    return take_failure(FailureKind::crashed, fmt::format("{} (submitted {} times)", why, submissions_));
  ++submissions_;
  if (job_->end().kind == JobEnd::Kind::expired) {
    around_.times.forget(run_);
    has_estimate_ = false;
  }
  around_.queue.note(why + "; it is submitted again");
  job_->attempt().mark_cancelled();
  const int64_t minutes = has_estimate_ ? around_.times.limit_of(run_) : 0;
  job_ = std::make_unique<SlurmJob>(
      JobRequest{Attempt::create(folder_, run_task(run_, around_.trainer, around_.out)),
                 needs_of(run_, minutes), run_.label, around_.program},
      around_.queue);
}

void SlurmRun::take_result(const Json& result) {
  if (result.contains("machine"))  // the node is not what the plan was made for, so the next plan asks again
    forget_machine(around_.jobs);
  try {
    if (result.contains("failure"))
      result_.failure = RunFailure::from_json(result.at("failure"));
    around_.store.adopt(run_.id, job_->attempt().run_folder());
  } catch (const std::exception& error) {
    return take_failure(FailureKind::bad_trace,
                        fmt::format("{} has a result that cannot be used: {}", run_.label, error.what()));
  }
  result_.seconds = number_or(result, "seconds", 0);
  result_.ended = text_or(result, "ended");
  result_.stderr_tail = text_or(result, "stderr_tail");
  if (const std::string log = text_or(result, "log"); !log.empty())
    result_.log = result_.folder / fs::path(log).filename();
  if (result_.complete())
    around_.times.add(run_, result_.seconds);
  end();
}

/// Keeps what the job left, with the output of its script, as the folder of a failed run.
void SlurmRun::take_failure(FailureKind kind, const std::string& message) {
  const Attempt& attempt = job_->attempt();
  std::error_code error;
  try {
    if (fs::is_directory(attempt.run_folder(), error))
      around_.store.adopt(run_.id, attempt.run_folder());
    else
      around_.store.begin(run_);
    const fs::path log = result_.folder / "job.log";
    if (fs::exists(attempt.log(), error))
      fs::copy_file(attempt.log(), log, fs::copy_options::overwrite_existing, error);
    result_.stderr_tail = tail_of(log, 20);
    if (!result_.stderr_tail.empty())
      result_.log = log;
    result_.failure = RunFailure{kind, message};
    result_.ended = utc_now();
    around_.store.finish(run_, result_);
  } catch (const UserError& problem) {
    result_.failure = RunFailure{kind, message + "; " + problem.what()};
  }
  end();
}

void SlurmRun::end() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
  ended_ = true;
}

int64_t SlurmRun::steps_done() const {
  return updates_done(run_, job_->attempt().run_folder());
}

void SlurmRun::interrupt() {
  if (ended_)
    return;
  job_->cancel();
  result_.failure = RunFailure{FailureKind::interrupted, run_.label + " was interrupted"};
  ended_ = true;
}

}  // namespace parity::suite
