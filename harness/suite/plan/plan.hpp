// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/suite/cases/case.hpp"
#include "harness/suite/cases/config_schema.hpp"
#include "harness/suite/plan/context.hpp"
#include "harness/suite/plan/planned_case.hpp"
#include "harness/suite/plan/planned_run.hpp"

namespace parity::suite {

/// Cases resolved to distinct runs. Equal runs appear once, with the union of their captures.
class Plan {
 public:
  explicit Plan(PlanContext context) : context_(std::move(context)) {}

  /// Adds a case with the runs of its arms and of the chosen twins.
  /// \throws UserError with file, line and column for config keys the trainer does not know, values of a
  ///         wrong type, unknown channels and placeholders of unknown arms
  void add(const Case& source, Twins twins = Twins::checks);
  /// Adds the float64 twins of the golden's arms to a planned case.
  /// \return ids of the new runs
  std::vector<std::string> add_golden_twins(PlannedCase& planned);
  /// Adds the spare twins of these arms, and the twins whose traces they read, to the runs to execute.
  ///
  /// A spare twin's capture is already in the plan, so a twin that another case asked for is not run again.
  /// \return ids of the new runs
  std::vector<std::string> run_spare_twins(PlannedCase& planned, const std::vector<std::string>& arms);

  /// Adds the repetitions that the case's checks of relation `repeats` ask for. No cached run answers for two
  /// of them.
  void add_repetitions(PlannedCase& planned);
  /// Plans a repetition of an arm without asking for it. \return its id
  /// \param planted  faults to inject into this repetition alone
  std::string plan_repetition(PlannedCase& planned, const std::string& arm, const PlannedRepetition& which,
                              const std::vector<trace::Fault>& planted = {});
  /// Adds a second run of an arm, to see whether it repeats itself.
  /// \return ids of the new runs
  std::vector<std::string> add_repeat(PlannedCase& planned, const std::string& arm);
  /// Adds a further run of an arm that does not repeat itself. It records one update in full, with its
  /// operators, and the state after every update.
  /// \return ids of the new runs
  std::vector<std::string> add_watched(PlannedCase& planned, const RunToWatch& wanted);

  std::map<std::string, PlannedRun>& runs() { return runs_; }  ///< includes spare twins
  const std::map<std::string, PlannedRun>& runs() const { return runs_; }
  /// Returns the ids of the runs to execute, in the order they were asked for.
  const std::vector<std::string>& order() const { return order_; }
  std::vector<PlannedCase>& cases() { return cases_; }
  const std::vector<PlannedCase>& cases() const { return cases_; }

 private:
  const ConfigSchema& schema();
  /// Returns the schema if parity-train runs an arm of the case, else null, whatever other cases need.
  const ConfigSchema* schema_of(const Case& source);
  FlatConfig config_of(const Case& source, const Arm& arm, bool with_schema);
  void check_channels(const Case& source);
  /// What runs of an arm there are: its own, and its twins.
  enum class Form { own, float64, exact };
  PlannedRun run_of(const PlannedCase& planned, const Arm& arm, Form form);
  std::string plan_twin(PlannedCase& planned, const std::string& arm);
  void plan_exact_twin(PlannedCase& planned, const Arm& arm);
  PlannedRun again(const PlannedArm& arm, const PlannedRepetition& which) const;
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

}  // namespace parity::suite
