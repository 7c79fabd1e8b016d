// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace parity::trace {

/// Removes the finished files of other ranks that an earlier run left beside rank 0's trace. Rank 0 calls it
/// before it replaces its own file. Otherwise it would take such a file for that of a rank that died before
/// it opened its own.
///
/// A file is of an earlier run if it is not newer than the trace that rank 0 left, since rank 0 ends last, or
/// if it is older than this process.
/// \param path  of rank 0's trace
void remove_rank_files_of_earlier_run(const std::filesystem::path& path);

}  // namespace parity::trace
