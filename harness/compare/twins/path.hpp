// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "harness/compare/sides/side.hpp"

namespace parity::compare {

/// Returns evidence, in words, that two arms computed differently; nothing if all that both recorded is the
/// same.
///
/// An `equivalent` check whose quantities agree in every bit proves something only if the arms did not simply
/// run the same computation twice. Two things count as evidence, over all steps and not only the check's:
/// - a numeric channel of both arms whose bits differ (loss, mask_pairs, operator counts, collective calls),
/// - a tensor of both arms whose digest differs.
///
/// The caller asks the same of the float64 twins, which can show a change of order that float32 happens to
/// round away.
///
/// Three things do not count:
/// - the config: arms always differ there, and `vacuous` must find a switch without effect,
/// - timing channels,
/// - what only one side recorded: a difference of recording, not of computing.
///
/// Source: harness/compare/README.md, "How equality is judged".
std::optional<std::string> find_other_path(const Side& a, const Side& b);

}  // namespace parity::compare
