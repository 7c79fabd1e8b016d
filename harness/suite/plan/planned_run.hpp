// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/compare/judge.hpp"
#include "harness/suite/cases/case.hpp"
#include "harness/suite/cases/flat_config.hpp"
#include "harness/trace/format/capture.hpp"

namespace parity::suite {

/// Returns the updates that a run of this config makes within its span. They are unknown if the config does
/// not set `steps` (a command arm whose program decides).
compare::RunUpdates updates_of_run(const FlatConfig& config, const RunSpan& span);

/// A run to execute, or to answer from the cache. Its identity leaves out what must not change the numbers:
/// names, capture, time limits.
struct PlannedRun {
  std::string id;  ///< hash of `identity`
  /// JSON of: numeric config, ranks, profile, device, program, inputs, CPU, surroundings (inherited
  /// environment; for a command also its expanded words and program), and faults if it has any.
  std::string identity = "null";
  std::string label;                   ///< "lr/warmup_index:one_indexed", of the first arm to ask
  FlatConfig config;                   ///< complete
  std::vector<std::string> command;    ///< with placeholders; empty: parity-train
  std::filesystem::path program = {};  ///< see Arm
  std::map<std::string, std::string> environment = {};  ///< see Arm
  PythonSpec python = {};                               ///< of a command with {python}
  std::map<std::string, std::string> trace_of;          ///< arm -> run id, for {trace:ARM} in the command
  /// Regular expression -> replacement, for the tensor names of a command arm.
  std::vector<std::pair<std::string, std::string>> names;
  std::filesystem::path case_folder;
  Profile profile = Profile::portable;
  std::string dtype = "float32";
  int ranks = 1;
  bool has_rank_variables = true;  ///< whether its processes get RANK, WORLD_SIZE, ... (Arm::states_ranks)
  /// With the number of ranks for each node, unless the launcher is local.
  Launch launch = {};
  int threads = 1;
  int64_t steps = 10;
  RunSpan span = {};
  int64_t restart_after = 0;  ///< the update after which a second process resumes; 0: no restart
  /// What is done to the run that must not change its bits (conditions.hpp).
  compare::Condition under = compare::Condition::none;
  int64_t repetition = 0;  ///< selects the pattern, the cores or the number of threads of the condition
  bool elsewhere = false;  ///< pinned to other cores than another run with this number
  double timeout_seconds = 300;
  bool cacheable = true;
  bool is_operator = false;  ///< see Arm
  trace::Capture capture;

  bool is_command() const { return !command.empty(); }
  int64_t last_step() const { return span.stop_after > 0 ? span.stop_after : steps; }
  /// Returns the updates that its trace must have; unknown if no config sets `steps`.
  compare::RunUpdates updates() const { return updates_of_run(config, span); }
  int slots() const { return ranks * threads; }
  /// Returns the relative cost [tokens of a small model], for the time left and the order of cases. Counts
  /// float64 as twice as slow, residues as 40 times, and adds the cost of starting a LibTorch process.
  double cost() const;
};

}  // namespace parity::suite
