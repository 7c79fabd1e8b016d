// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/runs/running_run.hpp"

#include <algorithm>
#include <csignal>

#include <fmt/format.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/json/fields.hpp"
#include "harness/base/terminal/progress.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/base/text/utc.hpp"
#include "harness/suite/cases/rank_variables.hpp"
#include "harness/suite/launch/free_port.hpp"
#include "harness/suite/launch/launched_place.hpp"
#include "harness/suite/launch/launched_ranks.hpp"
#include "harness/suite/plan/rank_environment.hpp"
#include "harness/suite/runs/conditions.hpp"
#include "harness/suite/runs/heartbeat.hpp"
#include "harness/suite/runs/left_trace.hpp"
#include "harness/suite/runs/local_ranks.hpp"
#include "harness/suite/runs/rank_command.hpp"
#include "harness/suite/runs/start_rank.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
namespace {

/// Returns the number of processes to watch: one for each rank, or the one that starts the ranks itself.
int watched(const PlannedRun& run) {
  return run.launch.starts_itself() ? 1 : run.ranks;
}

/// Returns whether parity starts the processes of a run itself, whose traces it then moves.
bool starts_processes_here(const PlannedRun& run) {
  return run.launch.is_local() || run.launch.starts_itself();
}

}  // namespace

RunningRun::RunningRun(const PlannedRun& run, const RunStore& store, const fs::path& trainer)
    : run_(run), store_(store), trainer_(trainer), started_(Clock::now()), next_look_(started_) {
  result_.folder = store_.folder(run_.id);
  store_.begin(run_);
  start_leg();
}

fs::path RunningRun::log(const char* stream, int rank) const {
  return result_.folder / (rank == 0 ? std::string(stream) : fmt::format("{}.rank{}", stream, rank));
}

void RunningRun::start_leg() {
  const fs::path folder = fs::absolute(result_.folder);
  // A stale rendezvous file makes every rank fail, so each leg of each start has its own.
  rendezvous_ =
      folder / fmt::format("rendezvous.{}.{}.{}", leg_, ::getpid(), started_.time_since_epoch().count());
  ranks_.clear();
  processes_.reset();
  first_failure_.reset();
  try {
    local_root_ = local_traces_of(run_);
    if (!local_root_.empty() && !local_ && starts_processes_here(run_))
      local_ = std::make_unique<LocalTraces>(local_root_, folder, "run");
    burners_ = start_burners(run_, mark_);
    ProcessSpec spec;
    spec.mark = mark_;
    spec.argv = run_.is_command() ? expand_command(run_, store_)
                                  : std::vector{(run_.program.empty() ? trainer_ : run_.program).string()};
    if (!run_.is_command())
      for (const std::string& word : span_arguments(run_, store_, leg_))
        spec.argv.push_back(word);
    processes_ = start_ranks(spec, folder);
  } catch (const UserError& error) {
    fail(
        error.code() == ExitCode::missing ? results::FailureKind::missing : results::FailureKind::not_started,
        error.what(), 0);
  }
}

/// Starts the processes of a leg. \param common  what they have in common
std::unique_ptr<Ranks> RunningRun::start_ranks(const ProcessSpec& common, const fs::path& folder) {
  const int port = free_port();
  std::vector<ProcessSpec> specs;
  for (int rank = 0; rank < watched(run_); ++rank) {
    ProcessSpec& spec = specs.emplace_back(common);
    spec.environment = rank_environment(run_, folder, rank, rendezvous_.string(), port);
    if (!run_.has_rank_variables)
      spec.hidden.assign(rank_variables.begin(), rank_variables.end());
    if (local_)
      spec.environment["PARITY_TRACE"] = local_->place_of(spec.environment["PARITY_TRACE"]).string();
    apply_condition(spec, run_, folder, rank);
    spec.stdout_file = fs::absolute(log("stdout", rank));
    spec.stderr_file = fs::absolute(log("stderr", rank));
    if (!run_.launch.is_local())
      leave_place_to_launcher(spec, run_.launch.nodes);
    if (run_.launch.starts_itself())  // each rank fills in its own number
      spec.environment["PARITY_HEARTBEAT"] = (folder / heartbeat_name("{rank}")).string();
    ranks_.push_back({"", Clock::now(), {BoundedLog(spec.stdout_file), BoundedLog(spec.stderr_file)}});
  }
  if (!starts_processes_here(run_))
    return std::make_unique<LaunchedRanks>(run_, folder, leg_, specs);
  std::vector<Process> processes;
  for (ProcessSpec& spec : specs) {
    if (!processes.empty())
      spec.group = processes.front().pid();
    processes.push_back(start_rank(spec, run_));
  }
  return std::make_unique<LocalRanks>(std::move(processes));
}

/// Returns the heartbeats of a watched process: that of its rank, or of all ranks that it starts.
std::string RunningRun::heartbeats(int rank) const {
  std::string beats = json_text(heartbeat_of(result_.folder, rank));
  for (int other = 1; run_.launch.starts_itself() && other < run_.ranks; ++other)
    beats += json_text(heartbeat_of(result_.folder, other));
  return beats;
}

void RunningRun::read_heartbeats() {
  for (size_t rank = 0; rank < ranks_.size(); ++rank) {
    const std::string beat = heartbeats(static_cast<int>(rank));
    if (beat != ranks_[rank].beat) {
      ranks_[rank].beat = beat;
      ranks_[rank].last_sign = Clock::now();
    }
  }
}

int64_t RunningRun::steps_done() const {
  return updates_done(run_, result_.folder);
}

/// Returns "rank 2 of CASE:ARM" if there are several ranks, with the machine on which a launcher started it.
std::string RunningRun::describe_rank(int rank) const {
  if (watched(run_) == 1)
    return run_.label;
  const std::string host = processes_ ? processes_->host(static_cast<size_t>(rank)) : "";
  return fmt::format("rank {} of {}{}", rank, run_.label,
                     host.empty() ? "" : " on " + escape_for_terminal(host));
}

std::string RunningRun::last_lines(const fs::path& log) const {
  std::string text = tail_of(log, 20);
  return run_.is_command() ? text : without_noise(text);
}

std::string RunningRun::quoted_last_lines(int rank) const {
  const std::string text = last_lines(log("stderr", rank));
  const std::string last = text.substr(text.rfind('\n') + 1);
  return last.empty() ? "" : ": " + last;
}

std::vector<RankState> RunningRun::states() {
  std::vector<RankState> states;
  for (size_t i = 0; i < ranks_.size(); ++i) {
    const Json beat = heartbeat_of(result_.folder, static_cast<int>(i));
    RankState state;
    state.ended = processes_->ended(i);
    state.reports_lost_peer = !run_.is_command();  // the exit statuses of a command have other meanings
    state.stopped = !state.ended && is_stopped(processes_->pid(i));
    state.waits_in = text_or(beat, "waits_in");
    state.collectives = integer_or(beat, "collectives", 0);
    state.updates = integer_or(beat, "step", 0);
    states.push_back(state);
  }
  return states;
}

bool RunningRun::poll() {
  if (ended_)
    return true;
  if (fail_if_part_is_lost() || look_for_failure())
    return true;
  if (processes_->all_ended()) {
    end();
    return ended_;
  }
  if (fail_if_launch_failed())
    return true;
  const auto now = Clock::now();
  if (now < next_look_)
    return false;
  next_look_ = now + std::chrono::milliseconds(250);
  read_heartbeats();
  trim_logs();
  const auto key = [&](size_t rank) {
    return std::pair(processes_->ended(rank).has_value(), ranks_[rank].last_sign);
  };
  size_t quietest = 0;
  for (size_t rank = 1; rank < ranks_.size(); ++rank)
    if (key(rank) < key(quietest))
      quietest = rank;
  if (std::chrono::duration<double>(now - ranks_[quietest].last_sign).count() <= run_.timeout_seconds)
    return false;
  fail_silent(quietest);
  return true;
}

void RunningRun::trim_logs() {
  for (Rank& rank : ranks_)
    for (BoundedLog& log : rank.logs)
      log.trim();
}

void RunningRun::stop_ranks() {
  burners_.clear();
  if (!processes_)
    return;
  processes_->stop(std::chrono::seconds(2));
  end_offspring(mark_);  // and those that left the group
  try {
    if (local_)
      local_->collect();  // what failed ranks left may say why
  } catch (const UserError&) {
    local_.reset();
  }
  remove_local_traces();
}

/// Removes what ranks left on this machine. What killed ranks left on others goes with the next run there.
void RunningRun::remove_local_traces() {
  local_.reset();
  if (!local_root_.empty())
    remove_left_traces(local_root_, fs::absolute(result_.folder));
}

/// Removes the rendezvous file of killed ranks. Ranks that end well remove it themselves.
void RunningRun::remove_rendezvous() {
  std::error_code ignored;
  fs::remove(rendezvous_, ignored);
}

void RunningRun::fail(results::FailureKind kind, const std::string& message, int failed_rank) {
  fail(kind, message, log("stderr", failed_rank));
}

/// \param log  whose last lines show the cause
void RunningRun::fail(results::FailureKind kind, const std::string& message, const fs::path& log) {
  stop_ranks();
  remove_rendezvous();
  trim_logs();
  result_.failure = RunFailure{kind, message};
  result_.stderr_tail = last_lines(log);
  if (!result_.stderr_tail.empty())
    result_.log = log;
  result_.seconds = std::chrono::duration<double>(Clock::now() - started_).count();
  result_.ended = utc_now();
  store_.finish(run_, result_);
  ended_ = true;
}

/// Moves the traces of this leg to the run's folder, and joins those that ranks wrote on several machines.
std::optional<RunFailure> RunningRun::collect_traces() {
  if (local_root_.empty())
    return std::nullopt;
  try {
    if (local_ && !(restarts(run_) && leg_ == 0))  // the second leg appends to the trace of the first
      local_->collect();
    if (const std::string problem = local_ ? "" : join_parts(); !problem.empty())
      return RunFailure{results::FailureKind::bad_trace, problem};
  } catch (const UserError& error) {
    return RunFailure{results::FailureKind::bad_trace, run_.label + ": " + error.what()};
  }
  return std::nullopt;
}

void RunningRun::interrupt() {
  if (!ended_)
    fail(results::FailureKind::interrupted, run_.label + " was interrupted", 0);
}

void RunningRun::end() {
  burners_.clear();  // a second leg starts its own
  // Ends processes that the ranks left in the background.
  processes_->end_left_processes();
  end_offspring(mark_);
  remove_rendezvous();
  trim_logs();
  if (const auto failure = collect_traces())
    return fail(failure->kind, failure->message, 0);
  if (restarts(run_) && leg_ == 0) {
    ++leg_;
    start_leg();
    return;
  }
  if (const std::string text = condition_failure(run_, result_.folder); !text.empty())
    return fail(results::FailureKind::missing, text, 0);
  if (const auto failure = trace_failure(run_, result_.folder / "trace.h5"))
    return fail(
        failure->kind,
        failure->message + (failure->kind == results::FailureKind::no_trace ? quoted_last_lines(0) : ""), 0);
  remove_local_traces();
  result_.seconds = std::chrono::duration<double>(Clock::now() - started_).count();
  result_.ended = utc_now();
  store_.finish(run_, result_);
  ended_ = true;
}

}  // namespace parity::suite
