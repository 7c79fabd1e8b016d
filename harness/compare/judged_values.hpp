// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/compare/checks/check.hpp"
#include "harness/compare/judge.hpp"

namespace parity::compare {

/// Returns a digest of a check as its case states it: relation, quantity, arms, window, tolerance, reason.
/// The digest also covers the thresholds by which this program judges float64 twins.
std::string check_digest(const Check& check);

/// Returns a digest for each arm of a check, in the order of Check::all_arms. It covers every value of the
/// float32 run that the check judges: channels at the steps of the window with their types, and tensors with
/// dtype, shape and bits.
///
/// \return nothing if a value is missing: an arm crashed, or lacks a quantity, a step or a tensor
///
/// Determinism: equal values give equal digests on every machine.
std::optional<std::vector<std::string>> judged_digests(const Check& check,
                                                       const std::map<std::string, ArmEvidence>& arms);

/// Returns a digest of all numeric channels of a run, with its steps and their types.
std::string channels_digest(const trace::Trace& trace);

}  // namespace parity::compare
