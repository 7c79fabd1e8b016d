// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/running_run.hpp"

#include <algorithm>
#include <csignal>

#include <fmt/format.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/base/file.hpp"
#include "harness/base/progress.hpp"
#include "harness/suite/rank_command.hpp"
#include "harness/trace/trace.hpp"

namespace parity {
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
namespace {

constexpr uint64_t largest_heartbeat = 64 << 10;

Json heartbeat_of(const fs::path& folder, int rank) {
  const fs::path file = folder / heartbeat_name(rank);
  std::error_code error;
  if (!fs::is_regular_file(file, error))
    return nullptr;
  try {
    return read_json(read_file(file, largest_heartbeat));
  } catch (const UserError&) {
    return nullptr;  // being replaced
  }
}

int64_t step_of(const Json& heartbeat) {
  return heartbeat.is_object() && heartbeat.contains("step") && heartbeat["step"].is_number_integer()
             ? heartbeat["step"].get<int64_t>()
             : 0;
}

/// "rank 2" where there are several.
std::string rank_words(const PlannedRun& run, int rank) {
  return run.ranks == 1 ? run.label : fmt::format("rank {} of {}", rank, run.label);
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
  // A stale rendezvous file breaks every rank, so each leg of each start has its own.
  const std::string rendezvous =
      (folder / fmt::format("rendezvous.{}.{}.{}", leg_, ::getpid(), started_.time_since_epoch().count()))
          .string();
  const int port = free_port();
  ranks_.clear();
  try {
    ProcessSpec spec;
    spec.argv = run_.is_command() ? expand_command(run_, store_) : std::vector{trainer_.string()};
    if (run_.restart_after > 0 && leg_ == 0)
      spec.argv.insert(spec.argv.end(), {"--stop-after", std::to_string(run_.restart_after)});
    if (run_.restart_after > 0 && leg_ == 1)
      spec.argv.push_back("--resume");
    for (int rank = 0; rank < run_.ranks; ++rank) {
      spec.environment = rank_environment(run_, folder, rank, rendezvous, port);
      spec.stdout_file = log("stdout", rank);
      spec.stderr_file = log("stderr", rank);
      ranks_.push_back({Process::spawn(spec),
                        "",
                        Clock::now(),
                        {BoundedLog(spec.stdout_file), BoundedLog(spec.stderr_file)}});
      spec.group = ranks_.front().process.pid();
    }
  } catch (const UserError& error) {
    fail("not_started", error.what(), 0);
  }
}

void RunningRun::read_heartbeats() {
  for (size_t rank = 0; rank < ranks_.size(); ++rank) {
    const std::string beat = json_text(heartbeat_of(result_.folder, static_cast<int>(rank)));
    if (beat != ranks_[rank].beat) {
      ranks_[rank].beat = beat;
      ranks_[rank].last_sign = Clock::now();
    }
  }
}

int64_t RunningRun::steps_done() const {
  int64_t least = run_.steps;
  for (int rank = 0; rank < run_.ranks; ++rank)
    least = std::min(least, step_of(heartbeat_of(result_.folder, rank)));
  return least;
}

std::string RunningRun::last_words(int rank) const {
  const std::string last = tail_of(log("stderr", rank), 1, 2048);
  return last.empty() ? "" : ": " + last;
}

bool RunningRun::poll() {
  if (ended_)
    return true;
  size_t finished = 0;
  for (size_t i = 0; i < ranks_.size(); ++i) {
    const auto status = ranks_[i].process.poll();
    if (status && !status->succeeded()) {
      fail_with_status(*status, static_cast<int>(i));
      return true;
    }
    finished += status ? 1 : 0;
  }
  if (finished == ranks_.size()) {
    end();
    return ended_;
  }
  const auto now = Clock::now();
  if (now < next_look_)
    return false;
  next_look_ = now + std::chrono::milliseconds(250);
  read_heartbeats();
  trim_logs();
  const auto slowest = std::min_element(
      ranks_.begin(), ranks_.end(), [](const Rank& a, const Rank& b) { return a.last_sign < b.last_sign; });
  if (std::chrono::duration<double>(now - slowest->last_sign).count() > run_.timeout_seconds) {
    const int rank = static_cast<int>(slowest - ranks_.begin());
    const int64_t step = step_of(heartbeat_of(result_.folder, rank));
    fail("hung",
         fmt::format(
             "{} gave no sign of life for {} (last seen at update {}; the limit is timeout_seconds of the "
             "case){}",
             rank_words(run_, rank), duration_words(run_.timeout_seconds), step, last_words(rank)),
         rank);
    return true;
  }
  return false;
}

/// parity-train has our exit statuses, so that it can say that a config is impossible, or a file not there.
void RunningRun::fail_with_status(const WaitStatus& status, int culprit) {
  const auto code = status.exit_status();
  const auto is = [&](ExitCode wanted) { return !run_.is_command() && code == static_cast<int>(wanted); };
  const std::string kind = is(ExitCode::bad_input) ? "bad_config"
                           : is(ExitCode::missing) ? "missing"
                                                   : "crashed";
  fail(kind,
       rank_words(run_, culprit) + (code ? " ended with " : " was ") + status.words() + last_words(culprit),
       culprit);
}

void RunningRun::trim_logs() {
  for (Rank& rank : ranks_)
    for (BoundedLog& log : rank.logs)
      log.trim();
}

void RunningRun::stop_ranks() {
  if (ranks_.empty())
    return;
  const pid_t group = ranks_.front().process.pid();
  signal_group(group, SIGTERM);
  const auto deadline = Clock::now() + std::chrono::seconds(2);
  for (Rank& rank : ranks_)
    rank.process.wait_for(
        std::max(std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()),
                 std::chrono::milliseconds(0)));
  signal_group(group, SIGKILL);  // also what the ranks started themselves
  for (Rank& rank : ranks_)
    rank.process.stop(std::chrono::milliseconds(0));
}

void RunningRun::fail(const std::string& kind, const std::string& message, int culprit) {
  stop_ranks();
  trim_logs();
  result_.failure = RunFailure{kind, message};
  result_.stderr_tail = tail_of(log("stderr", culprit), 20);
  if (!result_.stderr_tail.empty())
    result_.log = log("stderr", culprit);
  result_.seconds = std::chrono::duration<double>(Clock::now() - started_).count();
  store_.finish(run_, result_);
  ended_ = true;
}

void RunningRun::interrupt() {
  if (!ended_)
    fail("interrupted", run_.label + " was interrupted", 0);
}

void RunningRun::end() {
  signal_group(ranks_.front().process.pid(), SIGKILL);  // what the ranks left running in the background
  trim_logs();
  if (run_.restart_after > 0 && leg_ == 0) {
    ++leg_;
    start_leg();
    return;
  }
  std::error_code error;
  const fs::path trace = result_.folder / "trace.h5";
  if (!fs::exists(trace, error))
    return fail("no_trace",
                run_.label +
                    " ended with exit status 0 but wrote no trace (nothing at PARITY_TRACE); a trainer "
                    "writes one there and renames it when it is complete" +
                    last_words(0),
                0);
  try {
    const Trace opened = Trace::open(trace);
    if (!opened.complete())
      return fail("bad_trace",
                  fmt::format("{} left a partial trace (last update {})", run_.label, opened.last_step()), 0);
  } catch (const UserError& problem) {
    return fail("bad_trace", run_.label + " left a trace that cannot be read: " + problem.what(), 0);
  }
  result_.seconds = std::chrono::duration<double>(Clock::now() - started_).count();
  store_.finish(run_, result_);
  ended_ = true;
}

}  // namespace parity
