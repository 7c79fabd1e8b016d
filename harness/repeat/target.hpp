// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/suite/cases/case.hpp"

namespace parity::repeat {

/// Returns a case of one arm, without checks and golden: the run to repeat.
/// \param words    "CASE", "CASE:ARM", or a run config (TOML, or a run folder's config.json); "" with a
/// command
/// \param command  a program that writes a trace to PARITY_TRACE, with its arguments; empty for the others
/// \param ranks    processes of the command; 0: one, without the variables of torchrun; 0 without a command
/// \param root     folder of the cases
/// \throws UserError if both or neither are given, ranks do not fit, nothing has the name, or the arm reads
/// the trace of another
suite::Case target_case(const std::string& words, const std::vector<std::string>& command, int ranks,
                        const std::filesystem::path& root);

/// Returns what every run records: the digests of all tensors at every `every`-th update, at the first and at
/// the last.
/// \param steps        number of updates; 0 if the program decides
/// \param collectives  whether it records the checksums of its collectives there, too
trace::Capture soak_capture(int64_t steps, int64_t every, bool collectives);

}  // namespace parity::repeat
