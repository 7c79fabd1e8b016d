// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/json/json.hpp"
#include "harness/compare/checks/check.hpp"
#include "harness/operators/problem/problem.hpp"
#include "harness/suite/cases/launch.hpp"
#include "harness/suite/cases/profile.hpp"
#include "harness/trace/format/capture.hpp"
#include "harness/trace/format/fault.hpp"
#include "harness/trace/format/phase.hpp"

namespace parity::suite {

/// A position in a case file, for messages.
struct Place {
  std::string file;
  uint32_t line = 0;  ///< counted from 1
  uint32_t column = 0;

  /// Returns "FILE:LINE:COLUMN", or `file` alone if the line is 0 (not from a file).
  std::string text() const {
    return line == 0 ? file : file + ":" + std::to_string(line) + ":" + std::to_string(column);
  }
};

/// The value of a config key and its position in the case file.
struct PlacedValue {
  Json value;
  Place place;
};
/// Config keys (dotted) with their values.
using Overrides = std::map<std::string, PlacedValue>;

/// The range of updates that a run makes, where it does not make all of its steps. Only runs of parity-train
/// have one.
struct RunSpan {
  /// The last update, after which the run writes a checkpoint; 0: run to the end.
  int64_t stop_after = 0;
  /// Number of updates between further checkpoints; 0: none.
  int64_t checkpoint_every = 0;
  /// Id of the run whose checkpoint after update `start_step` this run resumes from; "": start at update 1.
  /// The span of that run has to write a checkpoint there.
  std::string start_run = {};
  int64_t start_step = 0;
  /// Id of the run whose tensors replace this run's own (see Teacher); "": none.
  std::string teacher_run = {};

  bool is_whole() const {
    return stop_after == 0 && checkpoint_every == 0 && start_run.empty() && teacher_run.empty();
  }
  Json to_json() const;
};

/// One arm of a case: parity-train with the base config and overrides, or a command.
struct Arm {
  std::string name;
  Place place;
  Overrides config;
  std::vector<std::string> command;  ///< empty: parity-train. Placeholders: see rank_command.hpp
  /// Another parity-train for this arm, by absolute path; empty: the one that runs the suite.
  std::filesystem::path program = {};
  /// Variables that the arm's processes get besides those that they inherit, and in place of the profile's.
  std::map<std::string, std::string> environment = {};
  /// Files that a command arm reads. A command arm that lists them may be answered from the cache.
  std::vector<std::string> inputs;
  /// Regular expression -> replacement, applied to the arm's parameter names.
  std::vector<std::pair<std::string, std::string>> names;
  int ranks = 1;
  /// Whether a command states its number of ranks. Else it starts as a person starts it, without the
  /// variables of torchrun: scripts take RANK as the order to make a process group.
  bool states_ranks = false;
  Launch launch = {};
  /// Whether the arm has a float64 twin. A command arm has one if it uses {dtype} or sets float64 = true.
  bool float64 = true;
  /// Whether the command is a runner of parity's own, whose arguments are in the config (operator_arms.hpp).
  bool is_operator = false;

  /// \name Members of derived arms (extra_arms.hpp)
  /// A case file cannot set these. Subcommands that ask what a change would do derive such arms.
  /// @{
  std::string stands_for = {};          ///< name of the arm that this arm is derived from
  std::optional<Profile> profile = {};  ///< set if it is not the case's profile
  /// Faults injected into its run and into its twin's. No golden is recorded of an arm with faults.
  std::vector<trace::Fault> faults = {};
  RunSpan span = {};
  trace::Capture capture = {};  ///< recorded beyond what the checks and the golden need
  /// @}

  bool is_command() const { return !command.empty(); }
  /// Returns the name by which checks and the golden know this arm: that of the arm it is derived from, else
  /// its own.
  const std::string& asked_as() const { return stands_for.empty() ? name : stands_for; }
};

/// The [capture] table: tensors that every arm records whole, beyond what the checks need.
struct CaptureSpec {
  std::vector<int64_t> steps;  ///< empty: no tensors
  std::vector<trace::Phase> phases;
  std::vector<std::string> names = {"*"};
  bool replay = false;
};

/// The [python] table: a virtual environment that commands start Python in, as {python}.
struct PythonSpec {
  std::filesystem::path interpreter;  ///< absolute; empty: the case has no such table
  std::string make;                   ///< the command that makes the environment, for people; may be ""
  std::vector<std::string> packages;  ///< without one of these PyPI packages the case is skipped
};

/// The arms that the case's golden holds: their channels, and digests of gradients and parameters at the
/// first and last update.
struct GoldenSpec {
  std::vector<std::string> arms;  ///< empty: the case has no golden
  bool states_none = false;       ///< whether the case file says that no arm has one
};

/// A case: a question about training, the arms that answer it and the checks that judge the answer.
struct Case {
  std::string name;  ///< "topic/name", from the path below `cases`
  std::filesystem::path file;
  std::filesystem::path golden_file;
  std::string title;
  std::string question;
  std::string source;
  std::vector<std::string> tags;
  std::string reference;  ///< name of the arm that the others are compared with
  Profile profile = Profile::portable;
  double timeout_seconds = 300;  ///< longest time without a heartbeat of a run
  Overrides base;
  std::vector<Arm> arms;  ///< in the order of the file
  PythonSpec python = {};
  CaptureSpec capture;
  GoldenSpec golden;
  std::vector<compare::Check> checks;
  std::vector<Place> check_places;  ///< one for each check
  /// The [operator] table: the arms are functions, and step s of their traces is point s - 1.
  std::optional<operators::Problem> problem = {};
  /// Settings (`--set`) that changed the case. If there are any, it is not the case of the file.
  std::vector<std::string> settings;

  const Arm& arm(const std::string& wanted) const;
};

}  // namespace parity::suite
