// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/suite/judge/judged_check.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity::suite {

/// Returns the check that tensors which several ranks of an arm hold are equal; no case has to ask for it.
/// Returns nothing for a run of one rank, or one that did not end.
///
/// A finding names tensor, phase, step and the two ranks. If both ranks recorded values, it names the
/// element.
std::optional<JudgedCheck> replica_check(const std::string& arm, const trace::Trace& trace);

/// Returns the `parity compare` command that shows the difference between the two ranks.
/// \param run  folder of the run
std::vector<std::string> replica_command(const JudgedCheck& judged, const std::filesystem::path& run);

}  // namespace parity::suite
