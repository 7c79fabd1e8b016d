// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include "harness/suite/cases/case.hpp"

namespace parity {

/// The keys of a run config as parity-train reads it: TOML, or JSON as a run folder's config.json. Values are
/// not checked. \return nothing if the file is a case: it has arms
/// \throws UserError if it is neither, or larger than a MiB
std::optional<Overrides> read_run_config(const std::filesystem::path& file);

}  // namespace parity
