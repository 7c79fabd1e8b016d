// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/comm/job.hpp"

#include <charconv>
#include <optional>

#include "harness/base/error.hpp"

namespace parity::reference {
namespace {

constexpr int64_t usual_port = 29500;

/// The names of a launcher's variables.
struct Names {
  const char* launcher;
  const char* rank;
  const char* world_size;
  const char* local_rank;
  const char* local_size;
};

constexpr Names torchrun = {"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"};
constexpr Names srun = {"srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", nullptr};
constexpr Names mpirun = {"mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
                          "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"};
constexpr Names mpiexec = {"mpiexec", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"};

std::optional<int64_t> number(const Environment& get, const char* name) {
  const std::string text = get(name);
  if (text.empty())
    return std::nullopt;
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0)
    throw UserError(
        "cannot use " + std::string(name) + " = '" + text +
        "' (it must be a whole number, which the launcher sets); start the ranks with a launcher");
  return value;
}

int64_t needed(const Environment& get, const char* name, const char* beside) {
  const auto value = number(get, name);
  if (!value)
    throw UserError(std::string(name) + " is not set (" + beside +
                    " is, so this is one rank of several); set both, or neither for a run of one rank");
  return *value;
}

bool has(const Environment& get, const char* name) {
  return !get(name).empty();
}

const Names* launcher_of(const Environment& get) {
  if (has(get, torchrun.rank) || has(get, torchrun.world_size))
    return &torchrun;
  // An MPI launcher starts its daemons with srun, whose variables the ranks inherit.
  if (has(get, mpirun.rank))
    return &mpirun;
  if (has(get, mpiexec.rank) && has(get, mpiexec.world_size))
    return &mpiexec;
  if (has(get, srun.rank) && has(get, srun.world_size))
    return &srun;
  return nullptr;
}

bool on_one_machine(const Environment& get, const Names& names, const Job& job) {
  if (&names == &srun)
    return number(get, "SLURM_STEP_NUM_NODES") == 1;
  return names.local_size != nullptr && number(get, names.local_size) == job.world_size;
}

void find_meeting_place(const Environment& get, const Names& names, Job& job) {
  if (const std::string file = get("PARITY_RENDEZVOUS"); !file.empty()) {
    job.file = file;
    job.launcher = "parity";
    return;
  }
  if (const std::string address = get("MASTER_ADDR"); !address.empty())
    job.master_address = address;
  else if (on_one_machine(get, names, job))
    job.master_address = "127.0.0.1";
  else
    throw UserError("MASTER_ADDR is not set (" + std::to_string(job.world_size) + " ranks of " +
                    job.launcher +
                    " on several machines cannot find each other); set it to the machine of rank 0");
  job.master_port = number(get, "MASTER_PORT").value_or(usual_port);
  job.store_is_served = get("TORCHELASTIC_USE_AGENT_STORE") == "True";
  job.attempt = number(get, "TORCHELASTIC_RESTART_COUNT").value_or(0);
}

}  // namespace

Job job_from_environment(const Environment& get) {
  const Names* names = launcher_of(get);
  if (names == nullptr)
    return {};
  Job job;
  job.launcher = names->launcher;
  job.rank = needed(get, names->rank, names->world_size);
  job.world_size = needed(get, names->world_size, names->rank);
  job.local_rank = number(get, names->local_rank).value_or(job.rank);
  if (job.rank >= job.world_size)
    throw UserError("cannot use " + std::string(names->rank) + " = " + std::to_string(job.rank) + " (" +
                    names->world_size + " is " + std::to_string(job.world_size) +
                    ", and ranks count from 0); start the ranks with a launcher");
  if (job.world_size > 1)
    find_meeting_place(get, *names, job);
  return job;
}

}  // namespace parity::reference
