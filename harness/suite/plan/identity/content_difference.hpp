// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "harness/suite/plan/identity/content_hash.hpp"
#include "harness/suite/plan/planned_run.hpp"

namespace parity::suite {

/// Returns which file of a run's identity has another content here and now: the program, an input, the
/// command; "" if none has. A job may wait for hours, while somebody rebuilds the trainer.
std::string content_difference(const PlannedRun& run, const std::filesystem::path& trainer,
                               ContentHashes& hashes);

/// Returns the name of an input that has changed since this process planned the run; "" if none has. The run
/// may have read the new text, which its identity does not name.
std::string changed_input(const PlannedRun& run);

}  // namespace parity::suite
