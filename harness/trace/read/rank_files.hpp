// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "harness/trace/hdf5/hdf5.hpp"

namespace parity {

struct TraceContent;

/// Writes /ranks into rank 0's file: name, size and digest of each other rank's file, which are finished.
/// \param path  of rank 0's trace. \throws UserError naming the rank whose file is missing
void write_rank_index(hid_t file, const std::filesystem::path& path, int64_t ranks);

/// The files of ranks 1, 2, ... of a complete trace, in order.
/// \throws UserError naming the rank whose file is missing, was cut, or is not the one that the index means
std::vector<std::unique_ptr<TraceContent>> read_rank_files(const TraceContent& first);

/// What the other ranks of a run that did not end left beside rank 0's partial trace, complete or not, in
/// order; a file that is missing or cannot be read is left out.
std::vector<std::unique_ptr<TraceContent>> read_left_files(const TraceContent& first);

}  // namespace parity
