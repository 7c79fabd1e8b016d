// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "harness/bisect/runs/probe.hpp"

namespace parity {

/// The first step at which something differs that the sides' own runs show: a channel, else a parameter after
/// the last update. Tells the stage "curve".
/// \return nothing if they do not differ, or end before they do; the record then has its sentence, but for a
///         search in float64
std::optional<int64_t> find_visible_step(RunProbe& probe);

}  // namespace parity
