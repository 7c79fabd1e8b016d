// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "harness/base/terminal/progress.hpp"
#include "harness/bisect/search_record.hpp"
#include "harness/suite/cases/case.hpp"
#include "harness/suite/runs/run_settings.hpp"

namespace parity::bisect {

/// Finds where an arm of a case diverges from its golden, as far as the golden's content allows.
///
/// The record names what differs before training starts (config, environment, initial weights), the first
/// step with a channel that differs, and the first stored tensor that does. It also names what is unknown,
/// and the commits to search. Uses the suite's runs if it made them.
/// \param source  read from its file, without changes
/// \param arm     an arm that the golden holds; "": all, of which it reports the first to diverge
/// \throws UserError if the case keeps no golden, the file is missing (exit 3), damaged or of another schema,
///         it does not have the arm, or its run left no trace (exit 4)
SearchRecord search_golden(const suite::Case& source, const std::string& arm,
                           const suite::RunSettings& options, Progress& progress);

}  // namespace parity::bisect
