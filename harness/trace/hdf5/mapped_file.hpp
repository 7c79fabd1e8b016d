// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace parity {

/// A file mapped for reading.
class MappedFile {
 public:
  /// \throws UserError if it cannot be mapped
  MappedFile(const std::filesystem::path& path, uint64_t size);
  /// Of an open file, which may be closed then. \param path  for messages
  MappedFile(int descriptor, const std::filesystem::path& path, uint64_t size);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::byte* at(uint64_t offset) const { return data_ + offset; }
  /// Takes the pages that hold these bytes out of this process's memory, if they lie in the file; who looks
  /// at them again reads them again.
  void release(const std::byte* data, size_t bytes) const;

 private:
  void map(int descriptor, const std::filesystem::path& path);

  std::byte* data_ = nullptr;
  size_t size_;
};

}  // namespace parity
