// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// RunningRun: which failures it sees, and in which words it reports them.
#include <algorithm>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/json/fields.hpp"
#include "harness/base/terminal/progress.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/suite/launch/launched_ranks.hpp"
#include "harness/suite/runs/heartbeat.hpp"
#include "harness/suite/runs/running_run.hpp"
#include "harness/trace/format/file_names.hpp"
#include "harness/trace/write/join_run.hpp"

namespace parity::suite {
using Clock = std::chrono::steady_clock;
namespace {

constexpr std::string_view device_phase = "device";  // of a heartbeat while parity-train opens its device
constexpr std::chrono::seconds patience{1};  // time for a first cause to show after a rank lost its peer

/// Returns "no GPU" for ": parity-train: no GPU".
std::string without_program(const std::string& words) {
  constexpr std::string_view before = ": parity-train: ";
  return words.starts_with(before) ? words.substr(before.size()) : words;
}

}  // namespace

bool RunningRun::look_for_failure() {
  bool failed_any = false;
  for (size_t rank = 0; rank < ranks_.size(); ++rank)
    if (const auto status = processes_->ended(rank))
      failed_any = failed_any || !status->succeeded();
  if (!failed_any)
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
  const std::string who = describe_rank(rank);
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
       fmt::format("{} gave {}, last seen {}{}", describe_rank(rank), limit,
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
       describe_rank(failed_rank) + (code ? " ended with " : " was ") + status.text() +
           (run_.is_operator && !code ? ", " + describe_place(heartbeat_of(result_.folder, failed_rank))
                                      : "") +
           quoted_last_lines(failed_rank),
       failed_rank);
}

/// Fails the run if a rank ended well and its trace did not arrive. \return whether it failed
bool RunningRun::fail_if_part_is_lost() {
  const std::string lost = processes_ ? processes_->lost_part() : "";
  if (lost.empty())
    return false;
  fail(results::FailureKind::bad_trace, lost, 0);
  return true;
}

/// Joins the traces that ranks left apart from each other. \return why they do not make a whole; "" if they
/// do
std::string RunningRun::join_parts() {
  const std::filesystem::path trace = result_.folder / "trace.h5";
  std::error_code none;
  if (run_.ranks == 1 || std::filesystem::exists(trace, none) ||
      !std::filesystem::exists(trace::partial_path(trace), none))
    return "";
  const trace::JoinedRun joined = trace::join_run(trace);
  for (const trace::LeftRank& left : joined.others)
    if (left.state != trace::RankState::complete)
      return fmt::format("{} {} ({}); a verdict needs the traces of all ranks",
                         describe_rank(static_cast<int>(left.rank)), left.why, left.file);
  return joined.complete ? "" : fmt::format("{} left a partial trace: {}", describe_rank(0), joined.reason);
}

/// Fails the run if its launcher did not start or end all ranks. \return whether it failed
bool RunningRun::fail_if_launch_failed() {
  const std::string problem = processes_->launch_problem();
  if (problem.empty())
    return false;
  fail(results::FailureKind::crashed, problem, LaunchedRanks::log(result_.folder));
  return true;
}

}  // namespace parity::suite
