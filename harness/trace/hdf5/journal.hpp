// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace parity {

/// One piece of a file that is to be overwritten.
struct JournalWrite {
  uint64_t offset;
  std::vector<std::byte> bytes;
};

/// Makes several writes to a file one: they go to a second file first, then to their places. A process killed
/// before the second file is whole changed nothing; one killed later has left all that is needed to go on.
/// Guards against kills, not against power cuts: nothing is forced to the disk.
class Journal {
 public:
  /// \param file  the file to be changed; the journal lies beside it while it is open
  /// \throws UserError if it cannot be made
  explicit Journal(const std::filesystem::path& file);
  ~Journal();  ///< removes the second file
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// All writes, in order. \param descriptor  of the file, open for writing \return 0 or an errno value
  int commit(int descriptor, const std::vector<JournalWrite>& writes);

 private:
  std::filesystem::path path_;
  int descriptor_;
};

/// "trace.h5.partial.journal" for "trace.h5.partial".
std::filesystem::path journal_path(const std::filesystem::path& file);

/// What a killed process had committed to the journal of `file` and may not have written to its place yet; in
/// order, none without a whole journal. Reads only: whoever wants to see the file lays the writes on top of
/// it.
/// \param size    of the file, which every write must lie in
/// \param stored  bytes of it that the disk holds, by which the journal's own size is bounded
/// \throws UserError if the journal is no regular file, is larger than its file can need, or no writer of
/// ours
///         left it
std::vector<JournalWrite> committed_writes(const std::filesystem::path& file, uint64_t size, uint64_t stored);

/// pwrite until all is written. \return 0 or an errno value
int write_fully(int descriptor, const void* data, size_t size, uint64_t offset);

}  // namespace parity
