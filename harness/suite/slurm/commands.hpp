// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/suite/slurm/site.hpp"

namespace parity::suite {

/// Exit statuses of a job's script that say why it did not begin.
inline constexpr int no_folder_status = 66;
inline constexpr int no_program_status = 67;

/// What a job needs of its nodes.
struct JobNeeds {
  int cpus = 1;  ///< of each task
  int gpus = 0;
  int64_t minutes = 0;  ///< time limit; 0: the site's, or the partition's
  int nodes = 1;
  int tasks_per_node = 1;  ///< that the launcher of the run starts as steps of the job
};

/// Returns the command line that submits a script.
std::vector<std::string> sbatch_words(const Site& site, const JobNeeds& needs, const std::string& name,
                                      const std::filesystem::path& script);

/// Returns the script of a job. It ends with no_folder_status if the node does not see the job's folder, and
/// with no_program_status if the node lacks `program`. Else it becomes `program job FOLDER`.
/// \param folder   of the job, absolute
/// \param program  parity, absolute
std::string job_script(const Site& site, const std::filesystem::path& folder,
                       const std::filesystem::path& program, const std::string& label);

/// Returns the arguments of squeue that list all jobs of this user, for parse_squeue().
std::vector<std::string> squeue_words();

/// Returns whether sbatch may accept the same job later: the queue is full, or the controller does not
/// answer.
bool may_accept_later(std::string_view message);

/// Returns the first line of what a command of Slurm wrote on stderr, without the name of the command.
std::string problem_of(std::string_view message);

}  // namespace parity::suite
