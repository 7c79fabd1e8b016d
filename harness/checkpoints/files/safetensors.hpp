// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/checkpoints/files/tensor_file.hpp"

namespace parity::checkpoints {

// 8 bytes N, a little-endian number; N bytes of JSON, the header; the tensors' bytes, row-major and
// little-endian. Source: https://github.com/huggingface/safetensors, "Format".

/// A safetensors file.
class SafetensorsFile : public TensorFile {
 public:
  /// Opens a file and checks its whole header.
  /// \throws UserError if the file is missing (exit 3), or is not a safetensors file: see parse_header
  explicit SafetensorsFile(const std::filesystem::path& path);
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
