// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "harness/compare/judge.hpp"
#include "harness/golden/golden_file.hpp"
#include "harness/results/case.hpp"
#include "harness/suite/cases/case.hpp"

namespace parity::suite {

/// Sets the noise floors of each arm from the golden file, or the reason why an arm has none and how to
/// measure them.
///
/// Floors are valid for one config: a changed value of a key invalidates them, a new key does not. An extra
/// arm (extra_arms.hpp) gets the floors of the arm that it stands for.
/// \param golden  must outlive the arms
void attach_floors(std::map<std::string, compare::ArmEvidence>& arms, const Case& source,
                   const golden::StoredGolden& golden);

/// Returns the origin of a case's floors, for its results; nothing without floors.
///
/// `runs` is the number of noise runs that were measured of an arm (the largest of any arm). Each repeat with
/// weights moved by an eps counts.
std::optional<results::Calibration> calibration_of(const compare::Floors& floors);

}  // namespace parity::suite
