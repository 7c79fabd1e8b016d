// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/launch/execute_rank.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/host_name.hpp"
#include "harness/base/json/fields.hpp"
#include "harness/base/processes/process.hpp"
#include "harness/suite/launch/far/client.hpp"
#include "harness/suite/launch/far/far_rank.hpp"
#include "harness/suite/launch/free_port.hpp"
#include "harness/suite/launch/launched_place.hpp"
#include "harness/suite/launch/local_traces.hpp"
#include "harness/suite/launch/rank_files.hpp"
#include "harness/suite/plan/identity/machine.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
namespace {

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

/// What `parity rank` has for its rank.
struct RankSetting {
  const RankFiles& files;
  const Json& launch;
  LaunchedRank here;
  const FarClient* parity = nullptr;             ///< null if this machine sees the run's folder
  std::unique_ptr<LocalTraces> local = nullptr;  ///< null if the rank writes to the run's folder
  std::unique_ptr<FarRank> far = nullptr;        ///< null as `parity`
};

/// Waits for a rank, and ends it if the launcher asks for that or parity is gone.
WaitStatus wait_for_rank(Process& process, FarRank* far) {
  for (;;) {
    if (const auto status = process.wait_for(std::chrono::milliseconds(100)))
      return *status;
    if (stop_asked != 0)
      return process.stop(std::chrono::seconds(1));
    if (far != nullptr)
      far->pass_on();
  }
}

/// Gives the rank a folder of this machine for its trace, if the run has one, and for all else if this
/// machine does not see the run's folder.
void use_local_folder(ProcessSpec& spec, RankSetting& place) {
  const fs::path root = text_or(place.launch, "local_traces");
  if (root.empty())
    return;
  end_rank_on_signals();
  const int rank = place.here.rank;
  const fs::path run_folder = place.files.folder().parent_path();
  place.local = std::make_unique<LocalTraces>(root, run_folder, "rank" + std::to_string(rank));
  const fs::path trace = spec.environment.at("PARITY_TRACE");
  if (place.parity != nullptr) {
    place.far = std::make_unique<FarRank>(*place.parity, run_folder, place.local->folder() / "run", rank);
    place.far->prepare(spec);
    place.far->take_back(trace, place.local->place_of(trace));
  } else {
    place.local->take_back(trace);
  }
  spec.environment["PARITY_TRACE"] = place.local->place_of(trace).string();
  if (place.here.ranks > 1)
    spec.environment["PARITY_JOIN"] = "later";
}

/// Moves what the rank wrote to the run's folder. \return {"files"} or {"problem"}
Json collect(const RankSetting& place) {
  try {
    if (place.far == nullptr)
      return {{"files", to_json(place.local->collect())}};
    std::vector<CollectedFile> files = place.local->collect(
        [&](const fs::path& file) { return place.far->send(file, file.filename().string()); });
    const std::vector<CollectedFile> rest = place.far->send_rest();
    files.insert(files.end(), rest.begin(), rest.end());
    return {{"files", to_json(files)}};
  } catch (const UserError& error) {
    return {{"problem", error.what()}};
  }
}

/// Returns how the rank of a process ended, after its files are where they belong.
ExitCode end_rank(const WaitStatus& status, const RankSetting& place) {
  const RankFiles& files = place.files;
  const int rank = place.here.rank;
  if (stop_asked != 0) {
    files.write_stopped(rank);
    return ExitCode::crashed;
  }
  const Json collected = place.local == nullptr ? Json::object() : collect(place);
  files.write_ended(rank, status, collected);
  if (place.parity != nullptr)
    place.parity->end();
  return status.succeeded() && !collected.contains("problem") ? ExitCode::agree : ExitCode::crashed;
}

ExitCode run_rank(RankSetting place) {
  const LaunchedRank& here = place.here;
  ProcessSpec spec = place.files.read_rank(here.rank);
  use_local_folder(spec, place);
  spec.environment["RANK"] = std::to_string(here.rank);
  spec.environment["LOCAL_RANK"] = std::to_string(here.local_rank);
  spec.environment["WORLD_SIZE"] = std::to_string(here.ranks);
  if (here.ranks > 1 && !here.has_meeting)
    set_meeting(spec, place.files, place.launch, here.rank);
  Process process = Process::spawn(spec);
  place.files.write_began(here.rank,
                          {{"host", node_name()}, {"machine", host_name()}, {"pid", process.pid()}});
  return end_rank(wait_for_rank(process, place.far.get()), place);
}

ExitCode execute(const RankFiles& files, const FarClient* parity) {
  const Json launch = files.launch();
  if (launch.is_null())
    throw UserError(
        fmt::format("cannot execute a rank of {} (its launch.json is missing, damaged or of another "
                    "version); give all machines the folder of --out under one path",
                    files.folder().string()));
  try {
    const auto launcher = parse_enum<Launcher>(text_or(launch, "launcher"));
    const LaunchedRank here =
        rank_from_launcher(launcher, static_cast<int>(integer_or(launch, "ranks_per_node", 0)));
    check(files, launch, here);
    if (parity != nullptr) {
      parity->be_rank(here.rank);
      parity->limit(std::chrono::seconds(1 + static_cast<int64_t>(number_or(launch, "timeout", 300))));
    }
    return run_rank({files, launch, here, parity});
  } catch (const UserError& error) {
    files.refuse(error.what());
    throw;
  }
}

}  // namespace

ExitCode execute_rank(const fs::path& folder, const std::string& parity) {
  if (parity.empty())
    return execute(RankFiles(folder), nullptr);
  try {
    const auto client = std::make_shared<const FarClient>(parse_far_place(parity));
    return execute(RankFiles(folder, client), client.get());
  } catch (const ConnectionLost& lost) {
    throw UserError(fmt::format("cannot go on with a rank on {} (parity is gone: {}); run the case again",
                                host_name(), lost.what()),
                    ExitCode::crashed);
  }
}

}  // namespace parity::suite
