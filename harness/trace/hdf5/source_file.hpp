// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "harness/trace/hdf5/journal.hpp"

namespace parity::trace {

/// What to do with a path whose last component is a symbolic link.
enum class Links {
  followed,  ///< for a path that a person named
  refused,   ///< for a path in a repository of an untrusted writer
};

/// Returns whether a running process has the file open for writing.
bool is_being_written(const std::filesystem::path& path);

/// The bytes of a file as a reader sees them. The file itself is never changed: what a killed writer
/// committed to its journal is applied in this process's memory only.
class SourceFile {
 public:
  /// Opens a file; for a `*.partial` also its journal.
  /// \throws UserError if it is missing (exit 3), not a regular file, or being written by another process
  explicit SourceFile(const std::filesystem::path& path, Links links = Links::followed);
  ~SourceFile();
  SourceFile(const SourceFile&) = delete;
  SourceFile& operator=(const SourceFile&) = delete;

  int descriptor() const { return descriptor_; }
  uint64_t size() const { return size_; }
  /// Returns the allocated bytes on disk; less than `size` in a sparse file, whose holes read as zeros.
  uint64_t stored() const { return stored_; }

  /// Reads bytes. \return 0 or an errno value; EIO if the file ends earlier
  int read(uint64_t offset, size_t size, void* out) const;
  /// Returns whether the file begins with an HDF5 signature.
  bool is_hdf5() const;

 private:
  void open(const std::filesystem::path& path, Links links);

  int descriptor_ = -1;
  uint64_t size_ = 0;
  uint64_t stored_ = 0;
  std::vector<JournalWrite> committed_;
};

}  // namespace parity::trace
