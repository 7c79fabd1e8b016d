// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/json/json.hpp"

namespace parity::suite {

/// A cluster that Slurm schedules, and how parity uses it: a table [sites.NAME] of parity.toml.
struct Site {
  std::string name = "slurm";
  std::string partition, account, qos;  ///< "": the cluster's default
  std::vector<std::string> options;     ///< more words for sbatch
  std::vector<std::string> setup;       ///< shell lines before each run, such as "module load cuda"
  /// Words for sbatch that ask for GPUs; {gpus} is the number of ranks of a run on device cuda.
  std::vector<std::string> gpu_options = {"--gres=gpu:{gpus}"};
  int max_jobs = 32;             ///< largest number of jobs at a time, in the queue or running
  int64_t time_minutes = 0;      ///< time limit of a run whose time is unknown; 0: the partition's
  double poll_seconds = 10;      ///< time between two looks at the queue
  double settle_seconds = 30;    ///< time in which a file of a node shows on this machine
  double retry_seconds = 30;     ///< time until a job that a full queue refused is submitted again
  double patience_minutes = 60;  ///< time after which such a run fails

  /// Returns what the site does to every run, for their identity.
  Json identity() const;
};

/// Returns a site of a file of sites. The name "slurm" needs no file: it stands for the cluster's defaults.
/// \throws UserError for a file that cannot be parsed, an unknown key, and (exit 3) for an unknown site
Site find_site(const std::string& name, const std::filesystem::path& file);

}  // namespace parity::suite
