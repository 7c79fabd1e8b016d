// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace parity::trace {

/// A pending write to a file.
struct JournalWrite {
  uint64_t offset;
  std::vector<std::byte> bytes;
};

/// Makes several writes to a file atomic: they first go to a second file, the journal, then to their places.
/// A process killed before the journal is whole has changed nothing. One killed later has left all that is
/// needed to complete the writes. Protects against kills, not against power cuts: nothing is forced to the
/// disk.
class Journal {
 public:
  /// Creates the journal.
  /// \param file  the file to change; the journal is next to it while this object lives
  /// \throws UserError if it cannot be created
  explicit Journal(const std::filesystem::path& file);
  /// Removes the journal.
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// Performs all writes, in order.
  /// \param descriptor  descriptor of the file, open for writing
  /// \return 0 or an errno value
  int commit(int descriptor, const std::vector<JournalWrite>& writes);

 private:
  std::filesystem::path path_;
  int descriptor_;
};

/// Returns the path of a file's journal: "trace.h5.partial.journal" for "trace.h5.partial".
std::filesystem::path journal_path(const std::filesystem::path& file);

/// Returns the writes that a killed process committed to the journal of `file` and may not have performed, in
/// order. Returns none without a whole journal. Only reads: a reader of the file applies the writes in
/// memory.
/// \param size    size of the file [bytes], which every write must lie in
/// \param stored  allocated bytes of the file on disk, which bound the journal's size
/// \throws UserError if the journal is not a regular file, is larger than its file can need, or was not
///         written by this program
std::vector<JournalWrite> committed_writes(const std::filesystem::path& file, uint64_t size, uint64_t stored);

/// Performs the writes that a killed process committed to the journal of `file`. Call it before the file is
/// opened for writing, which empties the journal.
/// \throws UserError if a write fails, or as committed_writes
void recover(const std::filesystem::path& file);

/// Writes all bytes with pwrite. \return 0 or an errno value
int write_fully(int descriptor, const void* data, size_t size, uint64_t offset);

}  // namespace parity::trace
