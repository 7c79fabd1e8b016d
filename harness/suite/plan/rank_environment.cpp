// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/plan/rank_environment.hpp"

#include <cstdlib>

#include <fmt/format.h>

#include "harness/base/processes/python_package.hpp"
#include "harness/suite/cases/profile.hpp"
#include "harness/suite/cases/rank_variables.hpp"
#include "harness/suite/plan/identity/own_programs.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

/// Returns LD_PRELOAD with the library that makes MKL take its AVX2 branch, followed by the user's libraries.
///
/// Empty on Intel CPUs, which do not need the library. Also empty if the library is neither next to this
/// program nor in the folder `bin` next to the program's folder.
std::map<std::string, std::string> mkl_preload() {
  __builtin_cpu_init();
  if (__builtin_cpu_is("intel"))
    return {};
  const fs::path library = own_program("libparity-mkl.so");
  if (!library.is_absolute())
    return {};
  const char* others = std::getenv("LD_PRELOAD");
  return {{"LD_PRELOAD", others == nullptr ? library.string() : library.string() + ":" + others}};
}

/// Returns PYTHONPATH with the folder of parity's package, for the runners of operators in Python.
std::map<std::string, std::string> package_path() {
  const std::string folder = python_package_folder();
  if (folder.empty())
    return {};
  const char* others = std::getenv("PYTHONPATH");
  return {{"PYTHONPATH", others == nullptr || *others == '\0' ? folder : folder + ":" + others}};
}

}  // namespace

std::string heartbeat_name(int rank) {
  return heartbeat_name(std::to_string(rank));
}

std::string heartbeat_name(const std::string& rank) {
  return "heartbeat." + rank + ".json";
}

std::map<std::string, std::string> rank_environment(const PlannedRun& run, const fs::path& folder, int rank,
                                                    const std::string& rendezvous, int port) {
  auto environment = profile_environment(run.profile, run.threads);
  for (const auto& [name, value] : run.environment)
    environment[name] = value;
  if (run.is_command() && environment.at("MKL_CBWR").starts_with("AVX2"))
    environment.merge(mkl_preload());
  if (run.is_operator)
    environment.merge(package_path());
  const std::string trace = rank == 0 ? "trace.h5" : fmt::format("trace.rank{}.h5", rank);
  environment.merge(std::map<std::string, std::string>{
      {"PARITY_CONFIG", (folder / "config.json").string()},
      {"PARITY_TRACE", (folder / trace).string()},
      {"PARITY_CAPTURE", (folder / "capture.json").string()},
      {"PARITY_DTYPE", run.dtype},
      {"PARITY_SOURCES", (folder / sources_name).string()},
      {"PARITY_CHECKPOINT_DIR", (folder / "checkpoint").string()},
      {"PARITY_HEARTBEAT", (folder / heartbeat_name(rank)).string()},
      {"PARITY_RENDEZVOUS", rendezvous},
      {"PARITY_TIMEOUT", fmt::format("{}", run.timeout_seconds)},
  });
  if (run.has_rank_variables)
    environment.merge(std::map<std::string, std::string>{
        {"RANK", std::to_string(rank)},
        {"LOCAL_RANK", std::to_string(rank)},
        {"WORLD_SIZE", std::to_string(run.ranks)},
        {"MASTER_ADDR", "127.0.0.1"},
        {"MASTER_PORT", std::to_string(port)},
    });
  return environment;
}

std::set<std::string> launcher_variables(const PlannedRun& run) {
  std::set<std::string> names(rank_variables.begin(), rank_variables.end());  // set, or hidden
  for (const auto& entry : rank_environment(run, "", 0, "", 0))
    if (entry.first != "LD_PRELOAD")  // a trainer also sees the inherited value
      names.insert(entry.first);
  return names;
}

}  // namespace parity::suite
