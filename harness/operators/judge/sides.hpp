// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/compare/checks/check.hpp"
#include "harness/compare/sides/arm_evidence.hpp"
#include "harness/operators/judge/values.hpp"
#include "harness/operators/problem/problem.hpp"

namespace parity::operators {

/// One trace that a check reads, with its name in sentences.
struct NamedTrace {
  std::string name;
  const trace::Trace* trace = nullptr;
};

/// The traces of a check: its arms, their twins if all have one, and the exact reference.
struct CheckTraces {
  std::vector<NamedTrace> arms;
  std::vector<NamedTrace> twins;  ///< one for each arm, or empty
  std::optional<NamedTrace> exact;
};

/// Why a check cannot be judged.
struct Obstacle {
  compare::Verdict verdict = compare::Verdict::missing;
  std::string sentence;
};

/// A tensor of a point: its phase and its name.
using PhaseAndName = std::pair<trace::Phase, std::string>;

/// Finds the traces of a check and whether they can be judged: each ended well, has every point of this very
/// sweep, and the arms had the same inputs at each.
/// \return the obstacle if there is one
std::optional<Obstacle> find_traces(const compare::Check& check, const Problem& problem,
                                    const std::map<std::string, compare::ArmEvidence>& arms,
                                    CheckTraces& traces);

/// Returns the tensors that a check is about, for each point: those that any arm recorded and that match the
/// claim.
std::vector<std::set<PhaseAndName>> tensors_by_point(const compare::Check& check, const Problem& problem,
                                                     const CheckTraces& traces);

/// Returns whether a tensor is a variant of another one (relation invariant): "out@batch.0".
bool is_variant(const std::string& name);

}  // namespace parity::operators
