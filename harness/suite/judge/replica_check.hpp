// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/suite/judge/judged_check.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity {

/// "What several ranks of the arm hold is the same": nobody has to ask for it. Nothing for a run of one rank,
/// or one that did not end.
///
/// A finding names tensor, phase, step and the two ranks, and where both kept the values the element.
std::optional<JudgedCheck> replica_check(const std::string& arm, const Trace& trace);

/// The files of the two ranks and what differs, for `parity compare`. \param run  folder of the run
std::vector<std::string> replica_command(const JudgedCheck& judged, const std::filesystem::path& run);

}  // namespace parity
