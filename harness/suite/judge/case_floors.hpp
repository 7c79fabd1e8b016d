// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "harness/compare/judge.hpp"
#include "harness/golden/golden_file.hpp"
#include "harness/suite/cases/case.hpp"

namespace parity {

/// Gives each arm of a case the rounding noise that its golden file holds of it, or says why there is none
/// and how to measure it. Floors of an arm that has another config now are none; keys that are new since do
/// not count. An extra arm (extra_arms.hpp) has those of the arm that it stands for.
/// \param golden  must outlive the arms
void attach_floors(std::map<std::string, ArmEvidence>& arms, const Case& source, const StoredGolden& golden);

/// Where a case's floors come from, for its results: {"command", "runs", "kinds"}; null without floors.
///
/// `runs` are the other ways to the same numbers that were measured of an arm (the most of any); of weights
/// moved by an eps there are as many as were repeated.
Json calibration_of(const Floors& floors);

}  // namespace parity
