// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/launch/launched_place.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/suite/cases/rank_variables.hpp"

namespace parity::suite {
namespace {

struct Names {
  Launcher launcher;  ///< external: those of any program that starts ranks as torchrun does
  const char* rank;
  const char* ranks;
  const char* local_rank;
};

/// In the order in which they are looked for. An MPI launcher starts its daemons with srun, whose variables
/// the ranks inherit.
constexpr auto table = std::to_array<Names>({
    {Launcher::torchrun, "RANK", "WORLD_SIZE", "LOCAL_RANK"},
    {Launcher::mpirun, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
    {Launcher::mpirun, "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"},
    {Launcher::srun, "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID"},
});

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

std::optional<int> number(const char* name) {
  if (!is_set(name))
    return std::nullopt;
  const std::string_view text = std::getenv(name);
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0)
    throw UserError(
        fmt::format("cannot use {} = {} (the launcher must set it to a whole number); correct "
                    "the launcher",
                    name, parity::quoted(text)));
  return value;
}

}  // namespace

LaunchedRank rank_from_launcher(Launcher launcher, int ranks_per_node) {
  for (const Names& names : table) {
    const bool any = launcher == Launcher::external || launcher == Launcher::remote;
    if (!any && launcher != names.launcher)
      continue;
    const auto rank = number(names.rank), ranks = number(names.ranks);
    if (!rank || !ranks)
      continue;
    const int local = number(names.local_rank).value_or(ranks_per_node > 0 ? *rank % ranks_per_node : *rank);
    return {*rank, *ranks, local, is_set("MASTER_ADDR") && is_set("MASTER_PORT")};
  }
  throw UserError(
      fmt::format("cannot find the rank of this process (launcher {} has set none of its variables, "
                  "such as RANK and WORLD_SIZE); let the launcher of the case start it",
                  name_of(launcher)));
}

void leave_place_to_launcher(ProcessSpec& spec, int nodes) {
  for (const std::string_view name : rank_variables)
    spec.environment.erase(std::string(name));
  spec.environment.erase("PARITY_RENDEZVOUS");
  spec.hidden = variables_of_launchers(nodes);
}

std::vector<std::string> variables_of_launchers(int nodes) {
  std::vector<std::string> names = {"LOCAL_WORLD_SIZE",
                                    "GROUP_RANK",
                                    "GROUP_WORLD_SIZE",
                                    "ROLE_RANK",
                                    "ROLE_WORLD_SIZE",
                                    "TORCHELASTIC_RUN_ID",
                                    "TORCHELASTIC_RESTART_COUNT",
                                    "TORCHELASTIC_USE_AGENT_STORE",
                                    "OMPI_COMM_WORLD_LOCAL_SIZE",
                                    "MPI_LOCALNRANKS",
                                    "MASTER_PORT",
                                    "PARITY_RENDEZVOUS"};
  for (const Names& each : table)
    if (each.launcher != Launcher::srun)  // srun sets its own anew, and needs others of the job
      names.insert(names.end(), {each.rank, each.ranks, each.local_rank});
  if (nodes == 1)
    names.emplace_back("MASTER_ADDR");
  return names;
}

}  // namespace parity::suite
