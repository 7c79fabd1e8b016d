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

namespace parity {

/// Arms of a case as they run now, to be held against its golden: the runs of the suite, where it has made
/// them, and their float64 twins where only these can tell drift from a change.
struct GoldenRuns {
  Case source;  ///< with the arms that were asked for, and the checks against the golden
  ArmRuns runs;
  std::optional<ArmRuns> twins;
  std::map<std::string, ArmEvidence> arms;  ///< points into the runs
  Effort effort;
};

/// \param arms  of those that the golden keeps
/// \throws UserError as run_arms
GoldenRuns run_golden_arms(Case source, const std::vector<std::string>& arms, const StoredGolden& golden,
                           const RunSettings& options, Progress& progress);

}  // namespace parity
