// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/compare/checks/check.hpp"
#include "harness/compare/curves/series.hpp"
#include "harness/compare/sides/side.hpp"
#include "harness/compare/sides/window.hpp"

namespace parity::compare {

/// Returns the numeric channels that match a check's names or globs, in the check's order, each once.
///
/// A name matches if any side has it, so a channel that one side lacks is later found missing, not skipped.
/// Globs do not match timing channels, and naming one is an error: they are shown, never judged.
/// \throws MissingEvidence with the nearest and the known names if a name matches nothing
std::vector<std::string> match_channels(const std::vector<std::string>& patterns,
                                        const std::vector<Side>& sides);

/// Returns a channel of a side at exactly these steps. \throws MissingEvidence naming the side and what it
/// lacks
Series channel_at(const Side& side, const std::string& name, const std::vector<int64_t>& steps);

/// A tensor in two traces, or in one trace at two steps.
struct TensorPair {
  trace::TensorKey expected;
  trace::TensorKey actual;
};

/// Returns whether a check is about a tensor: its phase and glob match. A glob without '@' does not match the
/// inputs and outputs of operators, nor gradients of single micro-batches, whose names have one. A search may
/// have recorded them in one run only.
bool is_about(const Check& check, const trace::TensorKey& key);

/// Returns every tensor of the check's phase and glob in side `a`, paired with its counterpart in side `b`. A
/// tensor at step s of the window is paired with the one at step s + lag. The order is by step, then
/// execution.
///
/// Tensors are matched both ways: one that only one side has is missing, not skipped. A lag excludes the
/// steps that it moves out of the requested run (updates_of).
/// \throws MissingEvidence with the nearest names and the recorded steps if nothing matches; also if a tensor
///         of a pair was not recorded
std::vector<TensorPair> pair_tensors(const Check& check, const Side& a, const Side& b, int64_t lag = 0);

/// Returns the keys of all tensors of a trace, whole or as sketches only, each once, in order.
std::vector<trace::TensorKey> tensor_keys(const trace::Trace& trace);

}  // namespace parity::compare
