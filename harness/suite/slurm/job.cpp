// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/slurm/job.hpp"

#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "harness/base/elapsed.hpp"
#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/json/fields.hpp"
#include "harness/base/processes/process.hpp"
#include "harness/base/terminal/progress.hpp"
#include "harness/base/text/escape_for_terminal.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
using results::FailureKind;
namespace {

using JobClock = std::chrono::steady_clock;

/// Returns the number in the output of sbatch --parsable: "123" or "123;cluster".
std::string id_in(const std::string& out) {
  return out.substr(0, out.find_first_not_of("0123456789"));
}

}  // namespace

SlurmJob::SlurmJob(JobRequest request, JobQueue& queue)
    : request_(std::move(request)),
      queue_(queue),
      phase_(Phase::unsubmitted),
      id_(request_.attempt.id()),
      look_(queue.looks_begun()),
      since_(JobClock::now()) {
  if (!request_.is_new)
    phase_ = id_.empty() ? Phase::looking : Phase::watched;
}

void SlurmJob::enter(Phase phase) {
  phase_ = phase;
  since_ = JobClock::now();
}

/// Looks for the job's result, as often as a file system of a cluster should be asked.
bool SlurmJob::has_result() {
  const auto now = JobClock::now();
  if (now < next_check_)
    return false;
  next_check_ = now + std::chrono::milliseconds(phase_ == Phase::settling ? 100 : 500);
  started_ = started_ || !attempt().started().is_null();
  return !attempt().result().is_null();
}

bool SlurmJob::poll() {
  if (phase_ != Phase::ended && phase_ != Phase::unsubmitted && phase_ != Phase::submitting && has_result())
    finish(JobEnd::Kind::result, FailureKind::crashed, "");
  switch (phase_) {
    case Phase::unsubmitted:
      submit();
      break;
    case Phase::refused:
      if (seconds_since(since_) > queue_.site().retry_seconds)
        submit();
      break;
    case Phase::submitting:
      if (const auto answer = call_->poll()) {
        call_.reset();
        read_submission(*answer);
      } else if (seconds_since(since_) > 3)  // sbatch itself waits for a place
        queue_.note_full(problem_of(call_->err_so_far()));
      break;
    case Phase::looking:
      find_by_name();
      break;
    case Phase::watched:
      watch();
      break;
    case Phase::settling:
      settle();
      break;
    case Phase::asking:
      ask();
      break;
    case Phase::ended:
      break;
  }
  return phase_ == Phase::ended;
}

void SlurmJob::submit() {
  const Site& site = queue_.site();
  write_file(attempt().script(), job_script(site, attempt().folder(), request_.program, request_.label));
  call_.emplace(sbatch_words(site, request_.needs, attempt().name(), attempt().script()));
  enter(Phase::submitting);
}

void SlurmJob::read_submission(const ToolAnswer& answer) {
  id_ = answer.succeeded ? id_in(answer.out) : "";
  if (!id_.empty()) {
    attempt().write_id(id_);
    look_ = queue_.looks_begun();
    queue_.note_accepted();
    return enter(Phase::watched);
  }
  const std::string problem = problem_of(answer.err);
  if (!may_accept_later(answer.err))
    return finish(JobEnd::Kind::failed, FailureKind::not_started,
                  fmt::format("cannot submit {} (sbatch: {}); correct the options of site {}, or --partition "
                              "and --account",
                              request_.label, problem, queue_.site().name));
  first_refusal_ = first_refusal_.value_or(JobClock::now());
  queue_.note_full(problem);
  if (seconds_since(*first_refusal_) > 60 * queue_.site().patience_minutes)
    return finish(
        JobEnd::Kind::failed, FailureKind::not_started,
        fmt::format("cannot submit {} (sbatch refused it for {}: {}); run the same command later, or "
                    "give a smaller --max-jobs",
                    request_.label, format_duration(seconds_since(*first_refusal_)), problem));
  look_ = queue_.looks_begun();
  enter(Phase::refused);
}

/// Finds a job that an earlier process submitted without learning its number. A job that no look shows was
/// never submitted.
void SlurmJob::find_by_name() {
  if (queue_.look() <= look_)
    return;
  id_ = queue_.id_of(attempt().name());
  if (id_.empty())
    return enter(Phase::unsubmitted);
  attempt().write_id(id_);
  enter(Phase::watched);
}

void SlurmJob::watch() {
  if (queue_.look() <= look_)
    return;
  const JobEntry* entry = queue_.find(id_);
  if (entry == nullptr || has_ended(entry->state)) {
    asks_sacct_ = false;
    call_.emplace(std::vector<std::string>{"scontrol", "-o", "show", "job", id_});
    return enter(Phase::asking);
  }
  last_ = *entry;
  if (entry->state != JobState::queued || !is_hopeless(entry->reason))
    hopeless_since_.reset();
  else if (!hopeless_since_)
    hopeless_since_ = JobClock::now();
  else if (seconds_since(*hopeless_since_) > queue_.site().settle_seconds)  // nodes may be coming up
    give_up(fmt::format("job {} of {} can never start ({}); correct the options of site {}", id_,
                        request_.label, escape_to_line(entry->reason), queue_.site().name));
}

/// Cancels a job that would stay in the queue, and fails its run.
void SlurmJob::give_up(const std::string& problem) {
  attempt().mark_cancelled();
  const ToolAnswer answer = ToolCall({"scancel", id_}, std::chrono::seconds(30)).wait();
  finish(JobEnd::Kind::failed, FailureKind::not_started,
         problem + (answer.succeeded ? "" : "; cancel it with: scancel " + id_));
}

void SlurmJob::ask() {
  const auto answer = call_->poll();
  if (!answer)
    return;
  call_.reset();
  last_ = !answer->succeeded ? JobEntry()
          : asks_sacct_      ? parse_sacct(answer->out)
                             : parse_scontrol(answer->out);
  if (last_.word.empty() && !asks_sacct_) {
    asks_sacct_ = true;
    call_.emplace(
        std::vector<std::string>{"sacct", "-X", "-P", "-n", "-o", "State,ExitCode,NodeList", "-j", id_});
    return;
  }
  if (const JobEntry* listed = queue_.find(id_); last_.word.empty() && listed != nullptr)
    last_ = *listed;
  look_ = queue_.looks_begun();
  // A job that was requeued goes on.
  enter(last_.word.empty() || has_ended(last_.state) ? Phase::settling : Phase::watched);
}

/// Waits for the result of a job that has ended. Only a job that ended well, or of which nothing is known,
/// can have written one.
void SlurmJob::settle() {
  const bool may_have_result = last_.word.empty() || last_.state == JobState::completed;
  const double limit = queue_.site().settle_seconds;
  if (seconds_since(since_) > (may_have_result ? limit : std::min(limit, 2.0)))
    conclude(last_);
}

std::string SlurmJob::on_node(const JobEntry& entry) const {
  const std::string node = entry.nodes.empty() ? text_or(attempt().started(), "host") : entry.nodes;
  return node.empty() ? "" : " on " + escape_to_line(node);
}

/// Ends the job by what the scheduler says about it: it left no result.
void SlurmJob::conclude(const JobEntry& entry) {
  const std::string job = fmt::format("job {} of {}", id_, request_.label);
  const std::string where = on_node(entry);
  const std::string node = where.empty() ? "a node" : "node " + where.substr(4);
  const std::string folder = escape_for_terminal(attempt().folder().string());
  using Kind = JobEnd::Kind;
  if (entry.word.empty())
    return finish(Kind::failed, FailureKind::crashed,
                  fmt::format("{} vanished{} (neither squeue nor scontrol nor sacct knows it, and it left no "
                              "result in {}); run the same command again",
                              job, where, folder));
  switch (entry.state) {
    case JobState::node_failed:
      return finish(Kind::lost, FailureKind::crashed, fmt::format("{} lost its node{}", job, where));
    case JobState::preempted:
      return finish(Kind::lost, FailureKind::crashed, fmt::format("{} was preempted{}", job, where));
    case JobState::expired:
      return finish(Kind::expired, FailureKind::hung,
                    fmt::format("{} exceeded its time limit{}; give more with time_minutes of site {}", job,
                                where, queue_.site().name));
    case JobState::cancelled:
      if (!request_.is_new)  // perhaps by the process that submitted it, before it ended
        return finish(Kind::lost, FailureKind::crashed, job + " was cancelled");
      return finish(
          Kind::failed, FailureKind::crashed,
          fmt::format("{} was cancelled by somebody else{}; run the same command again", job, where));
    case JobState::out_of_memory:
      return finish(
          Kind::failed, FailureKind::crashed,
          fmt::format("{} exceeded its memory{}; give more with options = [\"--mem=...\"] of site {}", job,
                      where, queue_.site().name));
    case JobState::completed:
      return finish(
          Kind::failed, FailureKind::crashed,
          fmt::format("{} ended well{}, but {} has no result after {}; is it a folder that all "
                      "nodes share? (settle_seconds of site {})",
                      job, where, folder, format_duration(queue_.site().settle_seconds), queue_.site().name));
    default:
      break;
  }
  if (entry.exit_status == no_folder_status)
    return finish(Kind::failed, FailureKind::missing,
                  fmt::format("{} does not see {} ({}); choose a folder that all nodes share with --out",
                              node, folder, job));
  if (entry.exit_status == no_program_status)
    return finish(Kind::failed, FailureKind::missing,
                  fmt::format("{} has no program {} ({}); install parity in a folder that all nodes share",
                              node, escape_for_terminal(request_.program.string()), job));
  const std::string words = tail_of(attempt().log(), 1);
  finish(Kind::failed, FailureKind::crashed,
         fmt::format("{} failed{} ({}exit status {}){}", job, where,
                     entry.reason.empty() || entry.reason == "None" ? "" : entry.reason + ", ",
                     entry.exit_status, words.empty() ? "" : ": " + words));
}

void SlurmJob::finish(JobEnd::Kind kind, FailureKind failure, const std::string& message) {
  end_ = {kind, failure, message};
  phase_ = Phase::ended;
}

void SlurmJob::cancel() {
  if (phase_ == Phase::submitting) {
    std::optional<ToolAnswer> answer;
    while (!(answer = call_->poll()) && seconds_since(since_) < 5)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    call_.reset();
    if (answer && answer->succeeded)
      id_ = id_in(answer->out);
    queue_.cancel(id_, attempt());
  } else if (phase_ == Phase::unsubmitted || phase_ == Phase::refused)
    attempt().mark_cancelled();
  else if (phase_ != Phase::ended)
    queue_.cancel(id_, attempt());
  finish(JobEnd::Kind::failed, FailureKind::interrupted, "");
}

}  // namespace parity::suite
