// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace parity::trace {

/// A file mapped for reading.
class MappedFile {
 public:
  /// Maps a file. \throws UserError if it cannot be mapped
  MappedFile(const std::filesystem::path& path, uint64_t size);
  /// Maps an open file, which may be closed afterwards. \param path  for messages
  MappedFile(int descriptor, const std::filesystem::path& path, uint64_t size);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::byte* at(uint64_t offset) const { return data_ + offset; }
  /// Removes the pages of these bytes from this process's memory, if they belong to the file. Their next use
  /// reads them again.
  void release(const std::byte* data, size_t bytes) const;

 private:
  void map(int descriptor, const std::filesystem::path& path);

  std::byte* data_ = nullptr;
  size_t size_;
};

}  // namespace parity::trace
