// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/processes/process.hpp"
#include "harness/compare/checks/condition.hpp"
#include "harness/suite/plan/planned_run.hpp"

namespace parity::suite {

/// What a condition does to a run that must not change its bits. The number of the repetition (PlannedRun)
/// selects among the patterns, alignments and cores.
struct ConditionRow {
  compare::Condition condition;
  bool loads_library;  ///< whether libparity-memory.so is loaded into each rank
  bool under_stress;   ///< whether `parity repeat --stress` uses it
  std::string_view summary;
  std::string_view cause;  ///< what a program does whose bits this condition changes each time; "" for none
};

/// Returns a row for each condition, in order.
std::span<const ConditionRow> condition_table();
const ConditionRow& row_of(compare::Condition condition);

/// Adds to a rank's process what its run's condition does to it: the library to load, the pattern of fresh
/// memory, the alignment, the file by which the library proves that the process
/// which writes the trace has it, and the cores.
/// \param spec  has the rank's environment
/// \throws UserError (exit 3) if the library is not next to this program, or the run needs other cores and
/// this
///         process may use only one
void apply_condition(ProcessSpec& spec, const PlannedRun& run, const std::filesystem::path& folder, int rank);

/// Starts the processes that compete with a run for every core; none unless its condition is load.
/// \param mark  of the run, so that they end with it
std::vector<Process> start_burners(const PlannedRun& run, const std::string& mark);

/// Returns why the condition did not act on a run that ended: a program that is linked statically or clears
/// its environment does not load the library. "" if it acted.
std::string condition_failure(const PlannedRun& run, const std::filesystem::path& folder);

}  // namespace parity::suite
