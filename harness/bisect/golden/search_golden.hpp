// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "harness/base/progress.hpp"
#include "harness/bisect/search_record.hpp"
#include "harness/suite/cases/case.hpp"
#include "harness/suite/runs/run_settings.hpp"

namespace parity {

/// Where an arm of a case leaves its golden, as far as a golden can tell: what differs before training starts
/// (config, environment, first weights), the first step with a channel that differs, the first stored tensor
/// that does, what is not known, and which commits to ask.
///
/// The runs are those of the suite, where it has made them.
/// \param source  read from its file, changed by nothing
/// \param arm     of those that the golden keeps; "": all, and the one that leaves it first is told
/// \throws UserError if the case keeps no golden, the file is missing (exit 3), damaged or of another schema,
///         the arm is none of it, or its run left no trace (exit 4)
SearchRecord search_golden(const Case& source, const std::string& arm, const RunSettings& options,
                           Progress& progress);

}  // namespace parity
