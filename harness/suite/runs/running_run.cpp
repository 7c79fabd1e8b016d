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
#include "harness/suite/plan/rank_environment.hpp"
#include "harness/suite/runs/conditions.hpp"
#include "harness/suite/runs/heartbeat.hpp"
#include "harness/suite/runs/left_trace.hpp"
#include "harness/suite/runs/rank_command.hpp"
#include "harness/suite/runs/start_rank.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
namespace {

constexpr std::string_view device_phase = "device";  // of a heartbeat while parity-train opens its device
constexpr std::chrono::seconds patience{1};  // time for a first cause to show after a rank lost its peer

/// Returns "rank 2" if there are several ranks.
std::string describe_rank(const PlannedRun& run, int rank) {
  return run.ranks == 1 ? run.label : fmt::format("rank {} of {}", rank, run.label);
}

/// Returns "no GPU" for ": parity-train: no GPU".
std::string without_program(const std::string& words) {
  constexpr std::string_view before = ": parity-train: ";
  return words.starts_with(before) ? words.substr(before.size()) : words;
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
  const int port = free_port();
  ranks_.clear();
  first_failure_.reset();
  try {
    burners_ = start_burners(run_, mark_);
    ProcessSpec spec;
    spec.mark = mark_;
    spec.argv = run_.is_command() ? expand_command(run_, store_)
                                  : std::vector{(run_.program.empty() ? trainer_ : run_.program).string()};
    if (!run_.is_command())
      for (const std::string& word : span_arguments(run_, store_, leg_))
        spec.argv.push_back(word);
    for (int rank = 0; rank < run_.ranks; ++rank) {
      spec.environment = rank_environment(run_, folder, rank, rendezvous_.string(), port);
      apply_condition(spec, run_, folder, rank);
      spec.stdout_file = log("stdout", rank);
      spec.stderr_file = log("stderr", rank);
      ranks_.push_back({start_rank(spec, run_),
                        "",
                        Clock::now(),
                        {BoundedLog(spec.stdout_file), BoundedLog(spec.stderr_file)}});
      spec.group = ranks_.front().process.pid();
    }
  } catch (const UserError& error) {
    fail(
        error.code() == ExitCode::missing ? results::FailureKind::missing : results::FailureKind::not_started,
        error.what(), 0);
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
  return updates_done(run_, result_.folder);
}

std::string RunningRun::last_lines(int rank) const {
  std::string text = tail_of(log("stderr", rank), 20);
  return run_.is_command() ? text : without_noise(text);
}

std::string RunningRun::quoted_last_lines(int rank) const {
  const std::string text = last_lines(rank);
  const std::string last = text.substr(text.rfind('\n') + 1);
  return last.empty() ? "" : ": " + last;
}

std::vector<RankState> RunningRun::states() {
  std::vector<RankState> states;
  for (size_t i = 0; i < ranks_.size(); ++i) {
    const Json beat = heartbeat_of(result_.folder, static_cast<int>(i));
    RankState state;
    state.ended = ranks_[i].process.poll();
    state.reports_lost_peer = !run_.is_command();  // the exit statuses of a command have other meanings
    state.stopped = !state.ended && is_stopped(ranks_[i].process.pid());
    state.waits_in = text_or(beat, "waits_in");
    state.collectives = integer_or(beat, "collectives", 0);
    states.push_back(state);
  }
  return states;
}

bool RunningRun::look_for_failure() {
  if (std::none_of(ranks_.begin(), ranks_.end(), [](Rank& rank) {
        const auto status = rank.process.poll();
        return status && !status->succeeded();
      }))
    return false;
  const auto now = Clock::now();
  first_failure_ = first_failure_.value_or(now);
  const std::vector<RankState> all = states();
  const auto failed = find_failed_rank(all, now - *first_failure_ > patience);
  if (!failed)
    return false;
  if (failed->kind == FailedRank::Kind::ended)
    fail_with_status(*all[failed->rank].ended, static_cast<int>(failed->rank));
  else
    fail(failed->kind == FailedRank::Kind::lost || failed->kind == FailedRank::Kind::left
             ? results::FailureKind::crashed
             : results::FailureKind::hung,
         describe(*failed, all) + quoted_last_lines(static_cast<int>(failed->rank)),
         static_cast<int>(failed->rank));
  return true;
}

/// What became of a rank that did not fail by itself, with what the others did.
std::string RunningRun::describe(const FailedRank& failed, const std::vector<RankState>& all) const {
  const auto rank = static_cast<int>(failed.rank);
  const std::string who = describe_rank(run_, rank);
  const std::string place = describe_place(heartbeat_of(result_.folder, rank));
  const RankState& state = all[failed.rank];
  switch (failed.kind) {
    case FailedRank::Kind::stopped:
      return fmt::format("{} is stopped by a signal, {}{}", who, place, describe_waiting(all, failed.rank));
    case FailedRank::Kind::left:
      return fmt::format("{} ended with exit status 0, {}, before the other ranks did", who, place);
    case FailedRank::Kind::lost:
      return fmt::format(
          "{} lost its connection to another rank, and no rank reported a cause (see the stderr "
          "files in {})",
          who, escape_for_terminal(result_.folder.string()));
    case FailedRank::Kind::behind:
    case FailedRank::Kind::ended:
      break;
  }
  const std::string doing =
      state.waits_in.empty()
          ? "delays the others"
          : fmt::format("waits in {}, collective {}", escape_for_terminal(state.waits_in), state.collectives);
  return fmt::format("{} {}, {}{}", who, doing, place, describe_waiting(all, failed.rank));
}

/// "; rank 0 waits in all_reduce over tp, collective 12"; a rank that has given up waiting says where it did.
std::string RunningRun::describe_waiting(const std::vector<RankState>& all, size_t failed) const {
  for (size_t i = 0; i < all.size(); ++i)
    if (i != failed && !all[i].waits_in.empty())
      return fmt::format("; rank {} {} in {}, collective {}", i, all[i].ended ? "waited" : "waits",
                         escape_for_terminal(all[i].waits_in), all[i].collectives);
  return "";
}

bool RunningRun::poll() {
  if (ended_)
    return true;
  if (look_for_failure())
    return true;
  const auto finished = static_cast<size_t>(std::count_if(
      ranks_.begin(), ranks_.end(), [](Rank& rank) { return rank.process.poll().has_value(); }));
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
  const auto quietest = std::min_element(ranks_.begin(), ranks_.end(), [](Rank& a, Rank& b) {
    return std::pair(a.process.poll().has_value(), a.last_sign) <
           std::pair(b.process.poll().has_value(), b.last_sign);
  });
  if (std::chrono::duration<double>(now - quietest->last_sign).count() <= run_.timeout_seconds)
    return false;
  fail_silent(static_cast<size_t>(quietest - ranks_.begin()));
  return true;
}

/// Fails the run because a rank is silent. A stopped rank blocks the others, whose heartbeats then stop too.
void RunningRun::fail_silent(size_t quietest) {
  const std::vector<RankState> all = states();
  const std::string limit = fmt::format("no sign of life for {} (the limit is timeout_seconds of the case)",
                                        format_duration(run_.timeout_seconds));
  if (const auto late = find_late_rank(all))
    return fail(
        late->kind == FailedRank::Kind::left ? results::FailureKind::crashed : results::FailureKind::hung,
        describe(*late, all) + "; " + limit + quoted_last_lines(static_cast<int>(late->rank)),
        static_cast<int>(late->rank));
  const auto rank = static_cast<int>(quietest);
  fail(results::FailureKind::hung,
       fmt::format("{} gave {}, last seen {}{}", describe_rank(run_, rank), limit,
                   describe_place(heartbeat_of(result_.folder, rank)), quoted_last_lines(rank)),
       rank);
}

/// Fails the run by the exit status of a rank. parity-train uses the harness's exit codes, for example for an
/// impossible config or a missing file.
void RunningRun::fail_with_status(const WaitStatus& status, int failed_rank) {
  const auto code = status.exit_status();
  const auto is = [&](ExitCode wanted) { return !run_.is_command() && code == static_cast<int>(wanted); };
  if (is(ExitCode::missing) && text_or(heartbeat_of(result_.folder, failed_rank), "phase") == device_phase)
    return fail(results::FailureKind::no_device, without_program(quoted_last_lines(failed_rank)),
                failed_rank);
  const results::FailureKind kind = is(ExitCode::bad_input) ? results::FailureKind::bad_config
                                    : is(ExitCode::missing) ? results::FailureKind::missing
                                                            : results::FailureKind::crashed;
  fail(kind,
       describe_rank(run_, failed_rank) + (code ? " ended with " : " was ") + status.text() +
           (run_.is_operator && !code ? ", " + describe_place(heartbeat_of(result_.folder, failed_rank))
                                      : "") +
           quoted_last_lines(failed_rank),
       failed_rank);
}

void RunningRun::trim_logs() {
  for (Rank& rank : ranks_)
    for (BoundedLog& log : rank.logs)
      log.trim();
}

void RunningRun::stop_ranks() {
  burners_.clear();
  if (ranks_.empty())
    return;
  const pid_t group = ranks_.front().process.pid();
  signal_group(group, SIGTERM);
  signal_group(group, SIGCONT);  // a stopped process would not handle the next signal
  const auto deadline = Clock::now() + std::chrono::seconds(2);
  for (Rank& rank : ranks_)
    rank.process.wait_for(
        std::max(std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()),
                 std::chrono::milliseconds(0)));
  signal_group(group, SIGKILL);  // also ends processes that the ranks started
  for (Rank& rank : ranks_)
    rank.process.stop(std::chrono::milliseconds(0));
  end_offspring(mark_);  // and those that left the group
}

/// Removes the rendezvous file of killed ranks. Ranks that end well remove it themselves.
void RunningRun::remove_rendezvous() {
  std::error_code ignored;
  fs::remove(rendezvous_, ignored);
}

void RunningRun::fail(results::FailureKind kind, const std::string& message, int failed_rank) {
  stop_ranks();
  remove_rendezvous();
  trim_logs();
  result_.failure = RunFailure{kind, message};
  result_.stderr_tail = last_lines(failed_rank);
  if (!result_.stderr_tail.empty())
    result_.log = log("stderr", failed_rank);
  result_.seconds = std::chrono::duration<double>(Clock::now() - started_).count();
  result_.ended = utc_now();
  store_.finish(run_, result_);
  ended_ = true;
}

void RunningRun::interrupt() {
  if (!ended_)
    fail(results::FailureKind::interrupted, run_.label + " was interrupted", 0);
}

void RunningRun::end() {
  burners_.clear();  // a second leg starts its own
  // Ends processes that the ranks left in the background.
  signal_group(ranks_.front().process.pid(), SIGKILL);
  end_offspring(mark_);
  remove_rendezvous();
  trim_logs();
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
  result_.seconds = std::chrono::duration<double>(Clock::now() - started_).count();
  result_.ended = utc_now();
  store_.finish(run_, result_);
  ended_ = true;
}

}  // namespace parity::suite
