// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "harness/trace/hdf5/journal.hpp"

namespace parity {

/// What to do with a path whose last part is a symbolic link.
enum class Links {
  followed,  ///< a person named it
  refused,   ///< it lies in a repository that a stranger may have written
};

/// The bytes of a file as a reader sees them. Nothing is ever written: what a killed writer had committed to
/// its journal lies on top of the file in this process only.
class SourceFile {
 public:
  /// Of a `*.partial`, the journal beside it counts.
  /// \throws UserError if it is missing (exit 3), no regular file, or a process is writing it
  explicit SourceFile(const std::filesystem::path& path, Links links = Links::followed);
  ~SourceFile();
  SourceFile(const SourceFile&) = delete;
  SourceFile& operator=(const SourceFile&) = delete;

  int descriptor() const { return descriptor_; }
  uint64_t size() const { return size_; }
  /// Bytes that the disk holds; less than `size` in a file with holes, whose bytes read as zeros.
  uint64_t stored() const { return stored_; }

  /// \return 0 or an errno value; EIO if the file ends before
  int read(uint64_t offset, size_t size, void* out) const;
  /// Whether it begins as an HDF5 file does.
  bool is_hdf5() const;

 private:
  void open(const std::filesystem::path& path, Links links);

  int descriptor_ = -1;
  uint64_t size_ = 0;
  uint64_t stored_ = 0;
  std::vector<JournalWrite> committed_;
};

}  // namespace parity
