// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/compare/check.hpp"
#include "harness/compare/series.hpp"
#include "harness/compare/side.hpp"
#include "harness/compare/window.hpp"

namespace parity {

/// The numeric channels that a check's names or globs stand for, in the check's order, each once.
///
/// A name counts as matched if any side has it, so that a channel one side lacks is found missing later and
/// not passed over. Timing channels match no glob, and naming one is an error: they are shown, never judged.
/// \throws MissingEvidence if a name matches nothing, with the nearest and the known names
std::vector<std::string> match_channels(const std::vector<std::string>& patterns,
                                        const std::vector<Side>& sides);

/// A channel of a side at exactly these steps. \throws MissingEvidence naming the side and what it lacks
Series channel_at(const Side& side, const std::string& name, const std::vector<int64_t>& steps);

/// The same tensor in two traces, or in one trace at two steps.
struct TensorPair {
  TensorKey expected;
  TensorKey actual;
};

/// Every tensor of the check's phase that matches its glob at a step s of the window in side `a`, with its
/// partner at step s + lag in side `b`, in order of step, then execution.
///
/// Partners are wanted both ways: a tensor that only one side has is missing, not skipped. A lag leaves out
/// the steps that it moves out of the run that was asked for (updates_of).
/// \throws MissingEvidence if nothing matches, with the nearest names and the recorded steps, or if a partner
///         was not recorded
std::vector<TensorPair> pair_tensors(const Check& check, const Side& a, const Side& b, int64_t lag = 0);

/// Keys of all tensors a trace knows, whole or as sketches only, each once, in order.
std::vector<TensorKey> tensor_keys(const Trace& trace);

}  // namespace parity
