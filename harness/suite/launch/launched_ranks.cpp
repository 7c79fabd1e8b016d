// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/launch/launched_ranks.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/host_name.hpp"
#include "harness/base/json/fields.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/suite/launch/free_port.hpp"
#include "harness/suite/launch/launched_place.hpp"
#include "harness/suite/launch/local_traces.hpp"
#include "harness/suite/launch/words.hpp"
#include "harness/suite/plan/identity/own_programs.hpp"
#include "harness/suite/plan/launcher_program.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
namespace {

/// Time in which a file of another machine must show here after the launcher has ended.
std::chrono::seconds settle_time(const PlannedRun& run) {
  return std::chrono::seconds(run.launch.nodes > 1 ? 30 : 1);
}

bool in_slurm_job() {
  return std::getenv("SLURM_JOB_ID") != nullptr;
}

Json identity_of_machine(const PlannedRun& run) {
  const Json all = parse_json(run.identity);
  Json part = Json::object();
  for (const char* key : {"cpu", "cuda"})
    if (all.is_object() && all.contains(key))
      part[key] = all[key];
  return part;
}

/// Refuses a run that reads files of other runs, on machines that do not see them. \throws UserError
void check_reads_no_other_run(const PlannedRun& run) {
  const char* what = !run.trace_of.empty()          ? "the trace of another arm"
                     : !run.span.start_run.empty()  ? "a checkpoint of another run"
                     : !run.capture.teacher.empty() ? "values of another run, its teacher"
                                                    : nullptr;
  if (what != nullptr)
    throw UserError(
        fmt::format("cannot start {} on machines without a shared folder (it reads {}); give them one, or "
                    "start it here with --set launcher=local",
                    run.label, what));
}

}  // namespace

fs::path LaunchedRanks::log(const fs::path& folder) {
  return folder / "launcher.stderr";
}

LaunchedRanks::LaunchedRanks(const PlannedRun& run, const fs::path& folder, int leg,
                             const std::vector<ProcessSpec>& specs)
    : run_(run),
      files_(folder / fmt::format("launch.{}", leg)),
      log_(log(folder)),
      ended_(specs.size()),
      waits_for_files_(specs.size()) {
  files_.begin({{"launcher", name_of(run.launch.launcher)},
                {"nodes", run.launch.nodes},
                {"ranks_per_node", run.launch.ranks_per_node},
                {"ranks", run.ranks},
                {"timeout", run.timeout_seconds},
                {"local_traces", local_traces_of(run)},
                {"identity", identity_of_machine(run)}});
  for (size_t rank = 0; rank < specs.size(); ++rank)
    files_.write_rank(static_cast<int>(rank), specs[rank]);
  if (!run.launch.shared_folder) {
    check_reads_no_other_run(run);
    server_ = std::make_unique<FarServer>(folder, run.ranks);
  }
  start(folder, specs.front().mark);
}

void LaunchedRanks::start(const fs::path& folder, const std::string& mark) {
  Words rank = {own_program("parity").string(), "rank", files_.folder().string()};
  if (server_)
    rank.insert(rank.end(), {"--parity", server_->place().text()});
  const LaunchPlace place = {launcher_program(run_).string(), in_slurm_job(), host_name(), free_port()};
  ProcessSpec spec;
  spec.mark = mark;
  spec.hidden = variables_of_launchers(run_.launch.nodes);
  spec.stdout_file = folder / "launcher.stdout";
  spec.stderr_file = log_;
  for (const Words& words : launch_words(run_, place, rank)) {
    spec.argv = words;
    launchers_.push_back(Process::spawn(spec));
    spec.group = launchers_.front().pid();
  }
}

/// Reads the files of ranks that have not ended, not too often for a shared file system.
void LaunchedRanks::look() {
  const auto now = Clock::now();
  if (now < next_look_)
    return;
  next_look_ = now + std::chrono::milliseconds(run_.launch.nodes > 1 ? 250 : 50);
  refusal_ = files_.refusal();
  for (size_t rank = 0; rank < ended_.size(); ++rank)
    if (!ended_[rank])
      look_for_end(rank);
}

/// Reads how a rank ended. One that ended well has ended when the files that it moved are here.
void LaunchedRanks::look_for_end(size_t rank) {
  const auto number = static_cast<int>(rank);
  const auto status = files_.ended(number);
  if (!status)
    return;
  const Json collected = files_.collected(number);
  std::string problem = text_or(collected, "problem");
  const bool is_final = !problem.empty();
  if (!is_final && collected.contains("files"))
    problem = missing_part(files_.folder().parent_path(), collected["files"]);
  if (problem.empty() || !status->succeeded()) {
    ended_[rank] = status;
    return;
  }
  waits_for_files_[rank] = waits_for_files_[rank].value_or(Clock::now());
  if (is_final || Clock::now() - *waits_for_files_[rank] > settle_time(run_))
    lost_part_ = fmt::format("rank {} of {} on {} left no trace here: {}", rank, run_.label,
                             escape_for_terminal(host(rank)), problem);
}

/// Returns " (rank 1 on node-b did not)" for the first rank that began and neither ended nor was stopped.
std::string LaunchedRanks::describe_missing() const {
  for (size_t rank = 0; rank < ended_.size(); ++rank)
    if (const auto number = static_cast<int>(rank); !ended_[rank] && !files_.is_stopped(number))
      return fmt::format(" (rank {} on {} did not)", rank,
                         escape_for_terminal(text_or(files_.began(number), "host")));
  return "";
}

std::string LaunchedRanks::lost_part() {
  look();
  return lost_part_;
}

std::optional<WaitStatus> LaunchedRanks::ended(size_t rank) {
  look();
  return ended_[rank];
}

bool LaunchedRanks::launcher_ended() {
  const bool ended = std::ranges::all_of(launchers_, [](Process& each) { return each.poll().has_value(); });
  if (ended && !launcher_end_)
    launcher_end_ = Clock::now();
  return ended;
}

bool LaunchedRanks::all_ended() {
  look();
  const bool all = std::ranges::all_of(ended_, [](const auto& each) { return each.has_value(); });
  return launcher_ended() && all && launch_problem().empty();
}

pid_t LaunchedRanks::pid(size_t rank) {
  const Json began = files_.began(static_cast<int>(rank));
  return text_or(began, "machine") == host_name() ? static_cast<pid_t>(integer_or(began, "pid", 0)) : 0;
}

std::string LaunchedRanks::host(size_t rank) {
  return text_or(files_.began(static_cast<int>(rank)), "host");
}

std::string LaunchedRanks::describe_launcher_end() {
  const bool by_options =
      run_.launch.launcher == Launcher::external || run_.launch.launcher == Launcher::remote;
  const std::string name =
      by_options ? launcher_program(run_).filename().string() : std::string(name_of(run_.launch.launcher));
  for (Process& each : launchers_)
    if (const auto status = each.poll(); status && !status->succeeded())
      return name + (status->exit_status() ? " ended with " : " was ") + status->text();
  return name + " ended with exit status 0";
}

/// Returns which rank lost its connection to parity before it ended, in words; "" if there is none.
std::string LaunchedRanks::describe_lost_rank() {
  const std::set<int> lost = server_ ? server_->lost() : std::set<int>();
  for (const int rank : lost)
    if (const auto number = static_cast<size_t>(rank); number < ended_.size() && !files_.ended(rank))
      return fmt::format(
          "rank {} of {} on {} is gone: its connection to parity ended before it did (its machine or its "
          "`parity rank` died, or the network failed)",
          rank, run_.label, escape_for_terminal(host(number)));
  return "";
}

/// Returns which rank's remote shell ended although the rank did not, in words; "" if there is none. Ranks
/// that wait for it would wait for the time limit.
std::string LaunchedRanks::describe_dead_shell() {
  for (size_t rank = 0; run_.launch.launcher == Launcher::remote && rank < launchers_.size(); ++rank) {
    const auto status = launchers_[rank].poll();
    const auto number = static_cast<int>(rank);
    if (!status || files_.ended(number) || files_.is_stopped(number))
      continue;
    shell_end_ = shell_end_.value_or(Clock::now());
    if (Clock::now() - *shell_end_ < std::chrono::seconds(run_.launch.shared_folder ? 30 : 1))
      return "";
    return fmt::format(
        "rank {} of {} on {} {}: its remote shell ended with {}: {}", rank, run_.label,
        escape_for_terminal(run_.launch.hosts.at(rank / static_cast<size_t>(run_.launch.ranks_per_node))),
        files_.began(number).is_null() ? "did not begin" : "did not end", status->text(), tail_of(log_, 1));
  }
  return "";
}

/// A rank that failed by itself is the first cause, and is reported as such (failed_rank.hpp).
std::string LaunchedRanks::launch_problem() {
  look();
  if (!refusal_.empty())
    return fmt::format("{}: {}", run_.label, refusal_);
  if (std::string lost = describe_lost_rank(); !lost.empty())
    return lost;
  if (std::string dead = describe_dead_shell(); !dead.empty())
    return dead;
  if (!launcher_ended() ||
      std::ranges::any_of(ended_, [](const auto& each) { return each && !each->succeeded(); }))
    return "";
  size_t began = 0, finished = 0;
  for (size_t rank = 0; rank < ended_.size(); ++rank) {
    began += files_.began(static_cast<int>(rank)).is_null() ? 0 : 1;
    finished += ended_[rank] ? 1 : 0;
  }
  const bool good = std::ranges::all_of(launchers_, [](Process& each) { return each.poll()->succeeded(); });
  if (finished == ended_.size() && good)
    return "";
  if (finished < ended_.size() && Clock::now() - *launcher_end_ < settle_time(run_))
    return "";
  const std::string what =
      began < ended_.size() ? fmt::format("{} of its {} ranks began", began, ended_.size())
      : finished < ended_.size()
          ? fmt::format("{} of its {} ranks ended{}", finished, ended_.size(), describe_missing())
          : "its ranks ended well";
  const std::string said = tail_of(log_, 1);
  return fmt::format("{}: {}, and {}{}", run_.label, describe_launcher_end(), what,
                     said.empty() ? "" : ": " + said);
}

void LaunchedRanks::stop(std::chrono::milliseconds grace) {
  if (launchers_.empty())
    return;
  const pid_t group = launchers_.front().pid();
  signal_group(group, SIGTERM);
  signal_group(group, SIGCONT);
  const auto deadline = Clock::now() + grace;
  for (Process& each : launchers_)
    each.wait_for(std::max(std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()),
                           std::chrono::milliseconds(0)));
  end_left_processes();
  for (Process& each : launchers_)
    each.stop(std::chrono::milliseconds(0));
}

void LaunchedRanks::end_left_processes() {
  if (!launchers_.empty())
    signal_group(launchers_.front().pid(), SIGKILL);
}

}  // namespace parity::suite
