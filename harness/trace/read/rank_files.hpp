// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "harness/trace/hdf5/hdf5.hpp"

namespace parity::trace {

struct TraceContent;

/// Writes /ranks into rank 0's file: name, size and digest of each other rank's finished file.
/// \param path  of rank 0's trace
/// \throws UserError naming the rank whose file is missing
void write_rank_index(hid_t file, const std::filesystem::path& path, int64_t ranks);

/// Returns the files of ranks 1, 2, ... of a complete trace, in order.
/// \throws UserError naming the rank whose file is missing, truncated, or not the one in the index
std::vector<std::unique_ptr<TraceContent>> read_rank_files(const TraceContent& first);

/// Returns the other ranks' files of a run that did not finish, complete or partial, in order of rank. They
/// are in the folder of rank 0's partial trace. A file that is missing or cannot be read is left out.
std::vector<std::unique_ptr<TraceContent>> read_left_files(const TraceContent& first);

}  // namespace parity::trace
