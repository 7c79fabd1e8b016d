// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/launch/execute_rank.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <netdb.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/base/host_name.hpp"
#include "harness/base/json/fields.hpp"
#include "harness/base/processes/process.hpp"
#include "harness/suite/launch/free_port.hpp"
#include "harness/suite/launch/launched_place.hpp"
#include "harness/suite/launch/local_traces.hpp"
#include "harness/suite/launch/rank_files.hpp"
#include "harness/suite/plan/identity/machine.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
namespace {

bool has_address(const std::string& host) {
  addrinfo* found = nullptr;
  const bool known = ::getaddrinfo(host.c_str(), nullptr, nullptr, &found) == 0;
  if (known)
    ::freeaddrinfo(found);
  return known;
}

/// Returns the address at which the other ranks reach this machine.
std::string address_for_others(const Json& launch) {
  if (integer_or(launch, "nodes", 1) == 1)
    return "127.0.0.1";
  if (const char* address = std::getenv("MASTER_ADDR"); address != nullptr && *address != '\0')
    return address;
  const std::string host = host_name();
  if (!has_address(host))
    throw UserError(
        fmt::format("cannot name the machine of rank 0 to the others (no address belongs to the name "
                    "{}); set MASTER_ADDR to its address before parity starts",
                    host));
  return host;
}

/// Returns the meeting place that rank 0 has written.
Json wait_for_meeting(const RankFiles& files, double seconds) {
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  for (Json meeting = files.meeting();; meeting = files.meeting()) {
    if (!meeting.is_null())
      return meeting;
    if (Clock::now() > end)
      throw UserError(
          fmt::format("rank 0 has written no meeting place in {} within {:.0f} s (it has not begun, "
                      "or this machine does not see its files); give all machines one folder",
                      files.folder().string(), seconds));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

void set_meeting(ProcessSpec& spec, const RankFiles& files, const Json& launch, int rank) {
  if (rank == 0)
    files.write_meeting(address_for_others(launch), free_port());
  const Json meeting = wait_for_meeting(files, number_or(launch, "timeout", 300));
  spec.environment["MASTER_ADDR"] = text_or(meeting, "address");
  spec.environment["MASTER_PORT"] = std::to_string(integer_or(meeting, "port", 0));
}

/// Checks that this process may be that rank of the run.
void check(const RankFiles& files, const Json& launch, const LaunchedRank& here) {
  const int64_t ranks = integer_or(launch, "ranks", 1);
  if (here.ranks != ranks || here.rank >= here.ranks)
    throw UserError(
        fmt::format("the launcher started rank {} of {} ranks, and the run has {}; correct "
                    "launcher_options, or the number of ranks",
                    here.rank, here.ranks, ranks));
  if (const std::string other = machine_difference(launch.value("identity", Json()), this_machine());
      !other.empty())
    throw UserError(fmt::format("the machine of rank {}, {}, {}; choose machines of one kind", here.rank,
                                node_name(), other));
  if (!files.claim(here.rank))
    throw UserError(fmt::format("the launcher started rank {} twice; it must not restart ranks", here.rank));
}

volatile std::sig_atomic_t stop_asked = 0;

/// Makes a signal of the launcher end the rank first, so that nothing of it is left on this machine. A second
/// one changes nothing: launchers send it to the group, and once more to each process.
void end_rank_on_signals() {
  struct sigaction action = {};
  action.sa_handler = [](int) { stop_asked = 1; };
  for (const int signal : {SIGTERM, SIGINT, SIGHUP})
    ::sigaction(signal, &action, nullptr);
}

/// Waits for a rank, and ends it if the launcher asks for that.
WaitStatus wait_for_rank(Process& process) {
  for (;;) {
    if (const auto status = process.wait_for(std::chrono::milliseconds(100)))
      return *status;
    if (stop_asked != 0)
      return process.stop(std::chrono::seconds(1));
  }
}

/// Gives the rank a folder of this machine for its trace; null if it writes to the run's folder.
std::unique_ptr<LocalTraces> use_local_folder(ProcessSpec& spec, const RankFiles& files, const Json& launch,
                                              const LaunchedRank& here) {
  const fs::path root = text_or(launch, "local_traces");
  if (root.empty())
    return nullptr;
  end_rank_on_signals();
  auto local =
      std::make_unique<LocalTraces>(root, files.folder().parent_path(), "rank" + std::to_string(here.rank));
  fs::path trace = spec.environment.at("PARITY_TRACE");
  local->take_back(trace);
  spec.environment["PARITY_TRACE"] = local->place_of(trace).string();
  if (here.ranks > 1)
    spec.environment["PARITY_JOIN"] = "later";
  return local;
}

/// Moves what the rank wrote to the run's folder. \return {"files"} or {"problem"}
Json collect(LocalTraces& local) {
  try {
    return {{"files", to_json(local.collect())}};
  } catch (const UserError& error) {
    return {{"problem", error.what()}};
  }
}

/// Returns how the rank of a process ended, after its files are where they belong.
ExitCode end_rank(const RankFiles& files, int rank, const WaitStatus& status, LocalTraces* local) {
  if (stop_asked != 0) {
    files.write_stopped(rank);
    return ExitCode::crashed;
  }
  const Json collected = local == nullptr ? Json::object() : collect(*local);
  files.write_ended(rank, status, collected);
  return status.succeeded() && !collected.contains("problem") ? ExitCode::agree : ExitCode::crashed;
}

ExitCode run_rank(const RankFiles& files, const Json& launch, const LaunchedRank& here) {
  ProcessSpec spec = files.read_rank(here.rank);
  const std::unique_ptr<LocalTraces> local = use_local_folder(spec, files, launch, here);
  spec.environment["RANK"] = std::to_string(here.rank);
  spec.environment["LOCAL_RANK"] = std::to_string(here.local_rank);
  spec.environment["WORLD_SIZE"] = std::to_string(here.ranks);
  if (here.ranks > 1 && !here.has_meeting)
    set_meeting(spec, files, launch, here.rank);
  Process process = Process::spawn(spec);
  files.write_began(here.rank, {{"host", node_name()}, {"machine", host_name()}, {"pid", process.pid()}});
  return end_rank(files, here.rank, wait_for_rank(process), local.get());
}

}  // namespace

ExitCode execute_rank(const fs::path& folder) {
  const RankFiles files(folder);
  const Json launch = files.launch();
  if (launch.is_null())
    throw UserError(
        fmt::format("cannot execute a rank of {} (its launch.json is missing, damaged or of another "
                    "version); give all machines the folder of --out under one path",
                    folder.string()));
  try {
    const auto launcher = parse_enum<Launcher>(text_or(launch, "launcher"));
    const LaunchedRank here =
        rank_from_launcher(launcher, static_cast<int>(integer_or(launch, "ranks_per_node", 0)));
    check(files, launch, here);
    return run_rank(files, launch, here);
  } catch (const UserError& error) {
    files.refuse(error.what());
    throw;
  }
}

}  // namespace parity::suite
