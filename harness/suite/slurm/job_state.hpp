// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace parity::suite {

/// The state of a job, as far as it matters who waits for it.
enum class JobState {
  queued,
  running,    ///< also while it ends
  completed,  ///< ended with exit status 0
  failed,     ///< ended otherwise, or could not be launched
  cancelled,  ///< by scancel
  expired,    ///< ended by its time limit
  out_of_memory,
  node_failed,  ///< its node is down
  preempted,    ///< ended in favour of another job
};

inline bool has_ended(JobState state) {
  return state != JobState::queued && state != JobState::running;
}

/// What the scheduler says about a job.
struct JobEntry {
  JobState state = JobState::queued;
  std::string word;     ///< the scheduler's own: "NODE_FAIL"
  std::string nodes;    ///< "" before it runs
  std::string reason;   ///< why it waits or failed
  int exit_status = 0;  ///< of the batch script, if known
};

/// Returns the state that a word of Slurm means: "PENDING", "CANCELLED by 1000". An unknown word counts as
/// running, so that its job is watched.
JobState parse_job_state(std::string_view word);

/// The jobs of a look at the queue, by id, and the ids by name.
struct JobList {
  std::map<std::string, JobEntry> by_id;
  std::map<std::string, std::string> id_of_name;
};

/// Returns the jobs in the output of squeue with format "%A|%T|%N|%r|%j". Ignores lines of another form.
JobList parse_squeue(std::string_view text);
/// Returns the job in the output of `scontrol -o show job ID`; an entry with word "" if there is none.
JobEntry parse_scontrol(std::string_view text);
/// Returns the job in the output of `sacct -X -P -n -o State,ExitCode,NodeList -j ID`; as parse_scontrol().
JobEntry parse_sacct(std::string_view text);

/// Returns whether a job that waits for this reason can never start.
bool is_hopeless(std::string_view reason);

}  // namespace parity::suite
