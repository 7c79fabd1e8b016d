// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/suite/plan/planned_run.hpp"

namespace parity::suite {

/// Returns a run's command with the placeholders that do not depend on the run's id replaced: {steps} {dtype}
/// {python} {case_dir} {worktree}.
std::vector<std::string> expand_case_words(const PlannedRun& run);

/// Replaces every occurrence of `from` in `text`.
void replace_all(std::string& text, const std::string& from, const std::string& to);

}  // namespace parity::suite
