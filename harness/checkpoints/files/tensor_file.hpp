// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "harness/checkpoints/files/stored_tensor.hpp"
#include "harness/trace/hdf5/mapped_file.hpp"

namespace parity::checkpoints {

/// A file of tensors that is mapped into memory, so that tensors are read on access. The file must not change
/// while it is mapped. A derived class reads one format.
class TensorFile {
 public:
  virtual ~TensorFile() = default;
  TensorFile(const TensorFile&) = delete;
  TensorFile& operator=(const TensorFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// Returns the tensors by name. Their data may have any address, also one that is not aligned for the
  /// dtype.
  const std::map<std::string, StoredTensor>& tensors() const { return tensors_; }
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  /// Removes the pages of these bytes from memory, if they belong to this file.
  void release(const std::byte* data, size_t bytes) const { bytes_->release(data, bytes); }

 protected:
  explicit TensorFile(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;
  std::unique_ptr<trace::MappedFile> bytes_;
  std::map<std::string, StoredTensor> tensors_;
  std::map<std::string, std::string> metadata_;
};

/// Returns the size of a file of weights [bytes]. \throws UserError if it is missing (exit 3) or unreadable
uint64_t size_of_weights(const std::filesystem::path& path);

}  // namespace parity::checkpoints
