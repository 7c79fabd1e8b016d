// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "harness/compare/checks/check.hpp"
#include "harness/compare/sides/side.hpp"

namespace parity::compare {

/// The phases whose residues two exact twins are compared by, in the order of an update.
inline constexpr std::array residue_phases = {trace::Phase::grad, trace::Phase::grad_clipped,
                                              trace::Phase::optim, trace::Phase::param};

/// Returns what drew the residues of a run: its prime and the fingerprint of its key. Only residues of one
/// draw can be compared. Null if the run has no residues.
Json draw_of(const trace::Trace& trace);

/// Returns the residues of one trace that a check of exact twins compares: the tensors of residue_phases in
/// its window. Gradients of single micro-batches do not count: one twin may have more of them.
std::vector<trace::TensorKey> residue_keys(const Check& check, const std::vector<Side>& sides,
                                           const trace::Trace& trace);

}  // namespace parity::compare
