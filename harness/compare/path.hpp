// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "harness/compare/side.hpp"

namespace parity {

/// Evidence that two arms took different ways, in words; nothing if all that both recorded is the same.
///
/// An `equivalent` check whose quantities agree in every bit has proved something only if the arms did not
/// simply run the same computation twice. Counted as evidence, over all steps and not only the check's:
///   - a numeric channel both have whose bits differ (loss, mask_pairs, operator counts, collective calls),
///   - a tensor both know, whose digest differs.
/// The caller asks the same of the float64 twins: a change of order that float32 happens to round away.
/// Not counted: the config (arms always differ there, and a switch that does nothing is what `vacuous` is to
/// find), timing channels, and what only one side recorded (another way of looking, not of computing).
/// Source: DESIGN.md, "Judging".
std::optional<std::string> find_other_path(const Side& a, const Side& b);

}  // namespace parity
