// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/suite/cases/case.hpp"

namespace parity::suite {

/// The key of parity-train that names a trace whose routes are replayed; in a case {trace:ARM}.
inline constexpr const char* replay_key = "moe.replay";

/// Returns the arms whose traces a command, or the key moe.replay, reads: {trace:ARM}.
/// \throws UserError if it names an arm that is a command, or that reads traces itself
std::vector<std::string> arms_read_by(const Case& source, const Arm& arm);

/// Returns whether an arm may read traces, so that it is planned after the others.
bool may_read_traces(const Case& source, const Arm& arm);

/// Returns whether another arm replays the routes that this one records.
bool is_replayed(const Case& source, const Arm& arm);

}  // namespace parity::suite
