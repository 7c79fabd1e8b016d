// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/launch/words.hpp"

#include <cstdlib>

#include <fmt/format.h>

#include "harness/base/processes/process.hpp"
#include "harness/suite/plan/command_words.hpp"
#include "harness/suite/plan/launch_rules.hpp"

namespace parity::suite {
namespace {

void append(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

/// An agent of torchrun on each node of a job of Slurm. They meet at the node that executes the job.
Words torchrun_of_job(const Launch& launch, const LaunchPlace& place) {
  const std::string nodes = std::to_string(launch.nodes);
  return {"srun",
          "--nodes=" + nodes,
          "--ntasks=" + nodes,
          "--ntasks-per-node=1",
          "--kill-on-bad-exit=1",
          place.program,
          "--nnodes",
          nodes,
          "--rdzv-backend",
          "c10d",
          "--rdzv-id",
          "parity",
          "--rdzv-endpoint",
          fmt::format("{}:{}", place.host, place.port)};
}

/// The agent of one node, all of whose agents are on this machine.
Words torchrun_of_node(const Launch& launch, const LaunchPlace& place, int node) {
  return {place.program, "--nnodes",           std::to_string(launch.nodes),
          "--node-rank", std::to_string(node), "--master-addr",
          "127.0.0.1",   "--master-port",      std::to_string(place.port)};
}

std::vector<Words> torchrun_words(const Launch& launch, const LaunchPlace& place) {
  if (launch.nodes == 1)
    return {{place.program, "--standalone"}};
  if (place.in_job)
    return {torchrun_of_job(launch, place)};
  std::vector<Words> all;
  for (int node = 0; node < launch.nodes; ++node)
    all.push_back(torchrun_of_node(launch, place, node));
  return all;
}

Words mpirun_words(const PlannedRun& run, const LaunchPlace& place) {
  Words words = {place.program, "-np", std::to_string(run.ranks)};
  if (run.launch.nodes > 1)
    append(words, {"--map-by", fmt::format("ppr:{}:node", run.launch.ranks_per_node)});
  return words;
}

Words srun_words(const PlannedRun& run, const LaunchPlace& place) {
  return {place.program,
          fmt::format("--nodes={}", run.launch.nodes),
          fmt::format("--ntasks={}", run.ranks),
          fmt::format("--ntasks-per-node={}", run.launch.ranks_per_node),
          fmt::format("--cpus-per-task={}", run.threads),
          "--kill-on-bad-exit=1"};
}

/// A remote shell for each rank. The word {command} stands for the rank's command line as a shell reads it;
/// without one, the words of the command follow.
Words remote_words(const PlannedRun& run, const Words& options, int rank, const Words& process) {
  const int each = run.launch.ranks_per_node;
  Words command = {"env", fmt::format("RANK={}", rank), fmt::format("LOCAL_RANK={}", rank % each),
                   fmt::format("WORLD_SIZE={}", run.ranks)};
  if (const char* address = std::getenv("MASTER_ADDR"); address != nullptr && *address != '\0')
    command.push_back(fmt::format("MASTER_ADDR={}", address));
  append(command, process);
  Words words = options;
  bool is_placed = false;
  for (std::string& word : words) {
    is_placed = is_placed || word.find("{command}") != std::string::npos;
    replace_all(word, "{host}", run.launch.hosts.at(static_cast<size_t>(rank / each)));
    replace_all(word, "{command}", shell_quote(command));
  }
  if (!is_placed)
    append(words, command);
  return words;
}

}  // namespace

std::vector<Words> launch_words(const PlannedRun& run, const LaunchPlace& place, const Words& rank) {
  Words options = expand_launch_words(run.launch, run.ranks);
  std::vector<Words> all;
  if (run.launch.launcher == Launcher::remote) {
    for (int number = 0; number < run.ranks; ++number)
      all.push_back(remote_words(run, options, number, rank));
    return all;
  }
  switch (run.launch.launcher) {
    case Launcher::torchrun:
      all = torchrun_words(run.launch, place);
      append(options, {"--nproc-per-node", std::to_string(run.launch.ranks_per_node), "--no-python"});
      break;
    case Launcher::mpirun:
      all = {mpirun_words(run, place)};
      break;
    case Launcher::srun:
      all = {srun_words(run, place)};
      break;
    case Launcher::local:
    case Launcher::external:
    case Launcher::remote:
      all = {{}};
      break;
  }
  for (Words& words : all) {
    append(words, options);
    append(words, rank);
  }
  return all;
}

}  // namespace parity::suite
