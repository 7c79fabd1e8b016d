// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/laws/run/recorded_run.hpp"

// Which rule the class of an optimizer computes. Its state alone does not say: RAdam's is that of Adam.

namespace parity::laws {

/// Returns whether a class of this name computes another rule than those of the law `update`: "RAdam",
/// "FusedLAMB". A class that nobody knows is taken for what its state looks like.
bool has_other_rule(std::string_view optimizer);

/// Returns whether the state of a parameter has a tensor that only other rules keep, such as NAdam's
/// `mu_product`.
bool has_other_state(const RecordedRun& run, int64_t step, const std::string& name);

/// Returns whether a class, or a word of a config, names Muon.
bool names_muon(std::string_view optimizer);

/// Returns whether a class or a word names SGD.
bool names_sgd(std::string_view optimizer);

}  // namespace parity::laws
