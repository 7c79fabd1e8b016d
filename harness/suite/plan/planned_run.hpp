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

namespace parity {

/// Returns the updates that a run of this config makes within its span; none are known where the config does
/// not say `steps` (a command whose case leaves it to the program).
RunUpdates updates_of_run(const FlatConfig& config, const RunSpan& span);

/// A run to be executed, or answered from the cache. Its identity leaves out what must not change the
/// numbers: names, capture, time limits.
struct PlannedRun {
  std::string id;  ///< hash of `identity`
  /// JSON: numeric config, ranks, profile, device, program, inputs, CPU, surroundings (what it inherits; of a
  /// command also its expanded words and program); also faults, where it has any
  std::string identity = "null";
  std::string label;                 ///< "lr/warmup_index:one_indexed", of the arm that asked first
  FlatConfig config;                 ///< complete
  std::vector<std::string> command;  ///< empty: parity-train. Placeholders still in it
  std::map<std::string, std::string> trace_of;             ///< arm -> run id, for {trace:ARM} in the command
  std::vector<std::pair<std::string, std::string>> names;  ///< regex -> replacement for a command arm's names
  std::filesystem::path case_folder;
  Profile profile = Profile::portable;
  std::string dtype = "float32";
  int ranks = 1;
  int threads = 1;
  int64_t steps = 10;
  RunSpan span = {};
  int64_t restart_after = 0;  ///< 0: one process; else a second one goes on after this update
  double timeout_seconds = 300;
  bool cacheable = true;
  Capture capture;

  bool is_command() const { return !command.empty(); }
  int64_t last_step() const { return span.stop_after > 0 ? span.stop_after : steps; }
  /// The updates that its trace has to have; none are known where no config says `steps`.
  RunUpdates updates() const { return updates_of_run(config, span); }
  int slots() const { return ranks * threads; }
  /// Relative cost, for the time left and the order of cases: tokens, float64 counted as twice as slow, and
  /// what starting a process of LibTorch costs in tokens of a small model.
  double cost() const;
};

}  // namespace parity
