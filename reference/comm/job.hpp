// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace parity::reference {

/// The rank of this process in its job, and the place where the ranks meet.
struct Job {
  int64_t rank = 0;
  int64_t world_size = 1;
  int64_t local_rank = 0;      ///< among the ranks of this machine
  std::filesystem::path file;  ///< a new file that all ranks see, for local jobs; empty = use the address
  std::string master_address;  ///< of the machine that rank 0 runs on
  int64_t master_port = 0;
  bool store_is_served = false;  ///< the launcher itself keeps the store at that address (torchrun does)
  int64_t attempt = 0;           ///< how often the launcher has restarted these ranks
  std::string launcher = "no launcher";  ///< for messages: "torchrun", "srun", "mpirun", "mpiexec", "parity"
};

/// Reads an environment variable; empty if it is not set.
using Environment = std::function<std::string(const char*)>;

/// Returns the job that the environment describes. The first launcher of this table that matches is used:
///
/// | launcher           | variables                                              |
/// |--------------------|--------------------------------------------------------|
/// | torchrun, parity   | RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR, MASTER_PORT |
/// | mpirun of Open MPI | OMPI_COMM_WORLD_RANK, _SIZE, _LOCAL_RANK               |
/// | mpiexec of MPICH   | PMI_RANK, PMI_SIZE, MPI_LOCALRANKID                    |
/// | srun               | SLURM_PROCID, SLURM_STEP_NUM_TASKS, SLURM_LOCALID      |
///
/// `parity` sets PARITY_RENDEZVOUS, a file to meet in, in place of MASTER_ADDR and MASTER_PORT. The shell of
/// a Slurm allocation has no step, so it does not count as srun. Under srun and MPI MASTER_ADDR is
/// optional if all ranks share a machine. The default port is 29500 (MASTER_PORT). Without any of these
/// variables the job has one rank.
/// \throws UserError for an invalid number, a rank beyond the world, or a missing meeting place
Job job_from_environment(const Environment& get);

}  // namespace parity::reference
