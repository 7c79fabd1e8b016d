// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/enum_names.hpp"

namespace parity::trace {

/// What a rank left of a run.
enum class RankState {
  complete,    ///< a complete trace with the steps of rank 0
  partial,     ///< a partial trace: the rank was killed or failed
  unreadable,  ///< a file that cannot be read, or one of another run
  missing,     ///< no file
};

constexpr auto enum_names(RankState) {
  return named<RankState::missing>("state of a rank", {"complete", "partial", "unreadable", "missing"});
}

/// The file of a rank above 0.
struct LeftRank {
  int64_t rank = 0;
  RankState state = RankState::missing;
  std::string file;       ///< its name, in the folder of rank 0's trace
  int64_t last_step = 0;  ///< of a file that can be read
  std::string why;        ///< why it is not complete, such as "ended after step 2"; "" if it is

  /// Returns "rank 1 left no file trace.rank1.h5".
  std::string text() const;
};

/// A run whose rank 0 has an index of the other ranks' files.
struct JoinedRun {
  std::filesystem::path trace;  ///< rank 0's file
  bool complete = false;
  int64_t last_step = 0;  ///< of rank 0
  std::vector<LeftRank> others;
  std::string reason;  ///< why the trace is partial; "" if it is complete
};

/// Writes the index of ranks into rank 0's trace, for a run that ended without one. If rank 0 ended well and
/// every other rank left a complete file, the trace becomes complete. Otherwise it stays partial, and its
/// attribute failure states why. A complete trace is only checked.
/// \param path  rank 0's trace, or the folder of trace.h5
/// \throws UserError if rank 0 left no trace (exit 3), the run has one rank, a process is still writing, or
///         a complete trace does not match its ranks' files
JoinedRun join_run(const std::filesystem::path& path);

}  // namespace parity::trace
