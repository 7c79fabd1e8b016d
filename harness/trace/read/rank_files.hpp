// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <vector>

#include "harness/trace/hdf5/hdf5.hpp"
#include "harness/trace/read/trace_content.hpp"

namespace parity::trace {

/// Returns the ranks above 0 that have a file in the folder of rank 0's trace, complete or not, whatever
/// number of ranks the trace states.
std::set<int64_t> ranks_beside(const std::filesystem::path& trace);

/// Returns the row of a file for an index: name, size and digest. A file that is not there has size 0 and no
/// digest.
RankFile index_row(const std::filesystem::path& file);

/// Returns the rows of the finished files of ranks 1, 2, ...
/// \param path  of rank 0's trace
/// \throws UserError naming the rank whose file is missing
std::vector<RankFile> finished_rank_files(const std::filesystem::path& path, int64_t ranks);

/// Writes /ranks into rank 0's file. Replaces an earlier index.
void write_rank_index(hid_t file, const std::vector<RankFile>& rows);

/// Returns the files of ranks 1, 2, ... of a complete trace, in order.
/// \throws UserError naming the rank whose file is missing, truncated, or not the one in the index
std::vector<std::unique_ptr<TraceContent>> read_rank_files(const TraceContent& first);

/// Returns the other ranks' files of a run that did not finish, complete or partial, in order of rank. They
/// are in the folder of rank 0's partial trace. A file that is missing or cannot be read is left out.
/// \throws UserError naming the rank whose file is not the one in the index, if `parity join` wrote one
std::vector<std::unique_ptr<TraceContent>> read_left_files(const TraceContent& first);

}  // namespace parity::trace
