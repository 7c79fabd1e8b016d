// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

/// Returns the variables that a rank gets because of its run's condition: the library to load, the pattern of
/// fresh memory, the alignment, and the file by which the library proves that it was loaded.
/// \param inherited  LD_PRELOAD that the rank would get otherwise; "" for none
/// \throws UserError (exit 3) if the library is not next to this program
std::map<std::string, std::string> condition_environment(const PlannedRun& run,
                                                         const std::filesystem::path& folder, int rank,
                                                         const std::string& inherited);

/// Returns the cores that a rank is pinned to; empty: not pinned.
/// \throws UserError (exit 3) if the run needs other cores and this process may use only one
std::vector<int> cores_of_rank(const PlannedRun& run, int rank);

/// Returns the commands of the processes that compete with a run for every core; empty if none do.
std::vector<std::vector<std::string>> burner_commands(const PlannedRun& run);

/// Returns why the condition did not act on a run that ended: a program that is linked statically or clears
/// its environment does not load the library. "" if it acted.
std::string condition_failure(const PlannedRun& run, const std::filesystem::path& folder);

}  // namespace parity::suite
