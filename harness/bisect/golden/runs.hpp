// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/bisect/options/runs.hpp"
#include "harness/golden/golden_file.hpp"
#include "harness/suite/derived/extra_arms.hpp"

namespace parity::bisect {

/// Runs of a case's arms, to compare with its golden. They are the suite's runs if it made them. Float64
/// twins are added where only they can distinguish drift from a change.
struct GoldenRuns {
  suite::Case source;  ///< with the arms to compare, and the checks against the golden
  suite::ArmRuns runs;
  std::optional<suite::ArmRuns> twins;
  std::map<std::string, compare::ArmEvidence> arms;  ///< points into the runs
  Effort effort;
};

/// Runs arms of a case, with float64 twins where they are needed.
/// \param arms  arms that the golden holds
/// \throws UserError as run_arms
GoldenRuns run_golden_arms(suite::Case source, const std::vector<std::string>& arms,
                           const golden::StoredGolden& golden, const suite::RunSettings& options,
                           Progress& progress);

}  // namespace parity::bisect
