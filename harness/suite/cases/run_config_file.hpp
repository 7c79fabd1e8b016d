// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include "harness/suite/cases/case.hpp"

namespace parity::suite {

/// Returns the keys of a run config in a form that parity-train reads: TOML, or JSON as in a run folder's
/// config.json. Returns nothing if the file is a case (has arms). Does not check the values.
/// \throws UserError if the file is neither, or larger than 1 MiB
std::optional<Overrides> read_run_config(const std::filesystem::path& file);

}  // namespace parity::suite
