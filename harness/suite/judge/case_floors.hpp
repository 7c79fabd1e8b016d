// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "harness/compare/judge.hpp"
#include "harness/golden/golden_file.hpp"
#include "harness/suite/cases/case.hpp"

namespace parity {

/// Sets the noise floors of each arm from the golden file, or the reason why an arm has none and how to
/// measure them.
///
/// Floors are valid for one config: a changed value of a key invalidates them, a new key does not. An extra
/// arm (extra_arms.hpp) gets the floors of the arm that it stands for.
/// \param golden  must outlive the arms
void attach_floors(std::map<std::string, ArmEvidence>& arms, const Case& source, const StoredGolden& golden);

/// Returns the origin of a case's floors, for its results: {"command", "runs", "kinds"}; null without floors.
///
/// `runs` is the number of noise runs that were measured of an arm (the largest of any arm). Each repeat with
/// weights moved by an eps counts.
Json calibration_of(const Floors& floors);

}  // namespace parity
