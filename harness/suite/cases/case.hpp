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

#include "harness/base/json.hpp"
#include "harness/compare/check.hpp"
#include "harness/suite/cases/profile.hpp"
#include "harness/trace/format/capture.hpp"
#include "harness/trace/format/fault.hpp"
#include "harness/trace/format/phase.hpp"

namespace parity {

/// Where something stands in a case file, for messages.
struct Place {
  std::string file;
  uint32_t line = 0;  ///< counted from 1
  uint32_t column = 0;

  /// "FILE:LINE:COLUMN"; without numbers for what stands in no file.
  std::string text() const {
    return line == 0 ? file : file + ":" + std::to_string(line) + ":" + std::to_string(column);
  }
};

/// Config keys (dotted) as a case file gives them.
struct PlacedValue {
  Json value;
  Place place;
};
using Overrides = std::map<std::string, PlacedValue>;

/// Which updates a run makes, where not all of its steps. Only of runs of parity-train.
struct RunSpan {
  int64_t stop_after = 0;        ///< the last update, after which it leaves a checkpoint; 0: to the end
  int64_t checkpoint_every = 0;  ///< also leaves one after every so many updates; 0: no
  /// What it goes on from: the checkpoint after update `start_step` of the run with the id `start_run`, whose
  /// span leaves one there. "": from the beginning.
  std::string start_run = {};
  int64_t start_step = 0;
  /// The run whose tensors take the place of its own (Teacher); "": none.
  std::string teacher_run = {};

  bool is_whole() const {
    return stop_after == 0 && checkpoint_every == 0 && start_run.empty() && teacher_run.empty();
  }
  Json to_json() const;
};

/// One side of a case: parity-train under the base config with overrides, or a command.
struct Arm {
  std::string name;
  Place place;
  Overrides config;
  std::vector<std::string> command;  ///< empty: parity-train. Placeholders: see plan.hpp
  std::vector<std::string> inputs;   ///< files of a command arm; with them it may be answered from the cache
  std::vector<std::pair<std::string, std::string>> names;  ///< regex -> replacement, over its parameter names
  int ranks = 1;
  bool float64 =
      true;  ///< whether it has a float64 twin; a command arm says so by using {dtype} or float64 = true
  std::string stands_for = {};  ///< of an arm that was derived: the one it comes from; see extra_arms.hpp
  std::optional<Profile> profile = {};  ///< likewise: its own; nothing for the case's
  /// Defects put into its run and into its twin's. No case file has them: verbs that ask what a defect would
  /// do derive such arms. No golden is recorded of one.
  std::vector<Fault> faults = {};
  RunSpan span = {};     ///< likewise
  Capture capture = {};  ///< likewise: what it records beyond what the checks and the golden need

  bool is_command() const { return !command.empty(); }
  /// The arm that checks and the golden name for it.
  const std::string& asked_as() const { return stands_for.empty() ? name : stands_for; }
};

/// Tensors every arm keeps whole, beyond what the checks need.
struct CaptureSpec {
  std::vector<int64_t> steps;  ///< empty: no tensors
  std::vector<Phase> phases;
  std::vector<std::string> names = {"*"};
  bool replay = false;
};

/// What the case's golden keeps: channels, and digests of gradients and parameters at the first and last
/// update.
struct GoldenSpec {
  std::vector<std::string> arms;  ///< empty: the case has no golden
};

/// A question about training, with the arms that answer it and the checks that judge the answer.
struct Case {
  std::string name;  ///< topic/name, from the path below `cases`
  std::filesystem::path file;
  std::filesystem::path golden_file;
  std::string title;
  std::string question;
  std::string source;
  std::vector<std::string> tags;
  std::string reference;  ///< name of the arm the others are compared with
  Profile profile = Profile::portable;
  double timeout_seconds = 300;  ///< how long a run may go without a sign of life
  Overrides base;
  std::vector<Arm> arms;  ///< in the order of the file
  CaptureSpec capture;
  GoldenSpec golden;
  std::vector<Check> checks;
  std::vector<Place> check_places;    ///< one a check
  std::vector<std::string> settings;  ///< what --set changed; the case is then not the one in the file

  const Arm& arm(const std::string& wanted) const;
};

}  // namespace parity
