// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/compare/judge.hpp"
#include "harness/suite/case.hpp"
#include "harness/suite/config_schema.hpp"
#include "harness/suite/flat_config.hpp"
#include "harness/suite/inherited_environment.hpp"
#include "harness/trace/capture.hpp"

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
  std::string profile = "portable";
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

/// One arm of a case with the runs that answer it.
struct PlannedArm {
  std::string name;
  std::string run;   ///< id
  std::string twin;  ///< id of the float64 twin; "" where nothing asked for it or it cannot have one
  FlatConfig config;
  int64_t warmup_steps = 0;
  int ranks = 1;
  std::string spare_twin = {};  ///< id of a twin that runs only if stored evidence does not stand
  std::string resolved = {};    ///< ArmEvidence::resolved
};

/// Which float64 twins of a case run.
enum class Twins {
  spare,              ///< none at first; those that turn out to be needed (Plan::run_spare_twins)
  checks,             ///< those that its checks need
  checks_and_golden,  ///< also those of the arms in its golden
};

struct PlannedCase {
  Case source;
  std::vector<PlannedArm> arms;  ///< in the order of the file
  Twins twins = Twins::checks;

  PlannedArm& arm(const std::string& name);
  const PlannedArm& arm(const std::string& name) const;
};

/// What planning must know of the machine and the trainer.
struct PlanContext {
  std::filesystem::path trainer;
  std::filesystem::path schema_file;  ///< read only if an arm runs the trainer
  Json cpu = Json::object();
  Json gpus = Json::object();    ///< gpu_facts
  Environment environment = {};  ///< what every run inherits
  /// Hash of a program with its libraries, and of a file or folder; ContentHashes in earnest.
  std::function<std::string(const std::filesystem::path&)> hash_program;
  std::function<std::string(const std::filesystem::path&)> hash_file;
};

/// Cases resolved to distinct runs: equal runs stand once, with the union of what is to be captured.
class Plan {
 public:
  explicit Plan(PlanContext context) : context_(std::move(context)) {}

  /// \throws UserError with file, line and column for config keys the trainer does not know, values of a
  ///         wrong type, unknown channels and placeholders of unknown arms
  void add(const Case& source, Twins twins = Twins::checks);
  /// Adds the float64 twins of the golden's arms to a case that is planned already.
  /// \return ids of runs that are new
  std::vector<std::string> add_golden_twins(PlannedCase& planned);
  /// Runs the spare twins of these arms after all, and those whose traces they read. Every run has recorded
  /// what a spare twin is wanted for, so one that another case asked for is not run again.
  /// \return ids of runs that are new
  std::vector<std::string> run_spare_twins(PlannedCase& planned, const std::vector<std::string>& arms);

  std::map<std::string, PlannedRun>& runs() { return runs_; }  ///< spare twins too
  const std::map<std::string, PlannedRun>& runs() const { return runs_; }
  /// Ids of those to run, as they were asked for.
  const std::vector<std::string>& order() const { return order_; }
  std::vector<PlannedCase>& cases() { return cases_; }
  const std::vector<PlannedCase>& cases() const { return cases_; }

 private:
  const ConfigSchema& schema();
  FlatConfig config_of(const Case& source, const Arm& arm, bool with_schema);
  void check_channels(const Case& source);
  PlannedRun run_of(const PlannedCase& planned, const Arm& arm, bool twin);
  std::string plan_twin(PlannedCase& planned, const std::string& arm);
  void run_spare_twin(PlannedCase& planned, const std::string& arm);
  std::string keep(PlannedRun run);
  void ask_for(const std::string& id);

  PlanContext context_;
  std::optional<ConfigSchema> schema_;
  std::map<std::string, PlannedRun> runs_;
  std::vector<std::string> order_;
  std::set<std::string> asked_;  ///< the ids of `order_`
  std::vector<PlannedCase> cases_;
};

}  // namespace parity
