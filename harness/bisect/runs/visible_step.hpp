// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "harness/bisect/runs/probe.hpp"

namespace parity::bisect {

/// Finds the first step at which the sides' own runs show a difference: in a channel, or else in a parameter
/// after the last update. Records the stage "curve".
/// \return nothing if the runs do not differ, or end before they do. The record then has its sentence, except
///         in a search in float64.
/// \param values  of a search of exact twins at one later update: the run with the checkpoint before it
std::optional<int64_t> find_visible_step(RunProbe& probe, const SideTraces* values = nullptr);

}  // namespace parity::bisect
