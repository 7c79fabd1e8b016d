// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace parity {

/// What changed between two recordings of a golden, as Markdown for a review: a table row a channel that
/// differs (how many steps, the first with both values, max ULP, relative L2 gap) and a row a phase of
/// digests; then config and environment. Says so where only provenance differs.
/// \throws UserError if a file is missing or damaged
std::string golden_diff(const std::filesystem::path& before, const std::filesystem::path& after);

}  // namespace parity
