// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace parity::reference {

/// Who this process is among the ranks of its job, and where they find each other.
struct Job {
  int64_t rank = 0;
  int64_t world_size = 1;
  int64_t local_rank = 0;      ///< among the ranks of this machine
  std::filesystem::path file;  ///< a fresh file that all ranks see, for local jobs; else
  std::string master_address;  ///< of the machine that rank 0 runs on
  int64_t master_port = 0;
  bool store_is_served = false;  ///< the launcher itself keeps the store at that address (torchrun does)
  int64_t attempt = 0;           ///< how often the launcher has started these ranks anew
  std::string launcher = "no launcher";  ///< for messages: "torchrun", "srun", "mpirun", "parity"
};

/// Reads an environment variable; empty if it is not set.
using Environment = std::function<std::string(const char*)>;

/// The job that the environment describes, in this order:
///
///   RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR, MASTER_PORT   torchrun, and parity with PARITY_RENDEZVOUS = a
///   file SLURM_PROCID, SLURM_STEP_NUM_TASKS, SLURM_LOCALID        srun; not the shell of an allocation,
///   which has no step OMPI_COMM_WORLD_RANK, _SIZE, _LOCAL_RANK                 mpirun of Open MPI
///
/// Under srun and mpirun MASTER_ADDR may be left out where all ranks share a machine; the port is 29500
/// unless MASTER_PORT says otherwise. Without any of these the job has one rank.
/// \throws UserError for numbers that are none, a rank beyond the world, or no place to meet
Job job_from_environment(const Environment& get);

}  // namespace parity::reference
