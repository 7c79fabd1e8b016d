// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/tensor/tensor_view.hpp"
#include "harness/trace/hdf5/mapped_file.hpp"

namespace parity::reference {

// 8 bytes N, a little-endian number; N bytes of JSON, the header; the tensors' bytes, row-major and
// little-endian. Source: https://github.com/huggingface/safetensors, "Format".

/// A safetensors file, mapped: tensors are read when they are looked at. Nobody may write to it meanwhile.
class SafetensorsFile {
 public:
  /// Checks the whole header before anything is handed out.
  /// \throws UserError if there is no such file (exit 3), or it is none: see parse_header
  explicit SafetensorsFile(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  /// By name. Data lies at any address, also one that does not suit the dtype.
  const std::map<std::string, TensorView>& tensors() const { return tensors_; }
  const std::map<std::string, std::string>& metadata() const { return metadata_; }

 private:
  std::filesystem::path path_;
  std::unique_ptr<MappedFile> bytes_;
  std::map<std::string, TensorView> tensors_;
  std::map<std::string, std::string> metadata_;
};

/// A tensor that is made when it is its turn to be written, so that not all have to be there at once.
struct TensorToWrite {
  std::string name;
  DType dtype = DType::float32;
  Shape shape;
  /// Hands the bytes, as many as dtype and shape say, to `take`.
  std::function<void(const std::function<void(const void* data, size_t bytes)>& take)> bytes;
};

/// Writes through a temporary file and a rename. Equal tensors give equal bytes: the widest dtypes come
/// first, so that each lies aligned, then names decide.
/// \throws UserError if it cannot be written
void write_safetensors(const std::filesystem::path& path, std::vector<TensorToWrite> tensors,
                       const std::map<std::string, std::string>& metadata = {});

}  // namespace parity::reference
