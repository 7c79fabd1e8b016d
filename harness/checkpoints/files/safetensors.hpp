// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/checkpoints/files/stored_tensor.hpp"
#include "harness/trace/hdf5/mapped_file.hpp"

namespace parity::checkpoints {

// 8 bytes N, a little-endian number; N bytes of JSON, the header; the tensors' bytes, row-major and
// little-endian. Source: https://github.com/huggingface/safetensors, "Format".

/// A safetensors file that is mapped into memory, so that tensors are read on access. The file must not
/// change while it is mapped.
class SafetensorsFile {
 public:
  /// Opens a file and checks its whole header.
  /// \throws UserError if the file is missing (exit 3), or is not a safetensors file: see parse_header
  explicit SafetensorsFile(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  /// Returns the tensors by name. Their data may have any address, also one that is not aligned for the
  /// dtype.
  const std::map<std::string, StoredTensor>& tensors() const { return tensors_; }
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  /// Removes the pages of these bytes from memory, if they belong to this file.
  void release(const std::byte* data, size_t bytes) const { bytes_->release(data, bytes); }

 private:
  std::filesystem::path path_;
  std::unique_ptr<trace::MappedFile> bytes_;
  std::map<std::string, StoredTensor> tensors_;
  std::map<std::string, std::string> metadata_;
};

/// A tensor whose bytes are computed when they are written, so that not all tensors exist at once.
struct TensorToWrite {
  std::string name;
  DType dtype = DType::float32;
  Shape shape;
  /// Passes the bytes to `take`. Their number must fit dtype and shape.
  std::function<void(const std::function<void(const void* data, size_t bytes)>& take)> bytes;
};

/// Writes a safetensors file through a temporary file and a rename. Equal tensors give equal bytes: tensors
/// are sorted by dtype, widest first so that each is aligned, then by name.
/// \throws UserError if it cannot be written
void write_safetensors(const std::filesystem::path& path, std::vector<TensorToWrite> tensors,
                       const std::map<std::string, std::string>& metadata = {});

}  // namespace parity::checkpoints
