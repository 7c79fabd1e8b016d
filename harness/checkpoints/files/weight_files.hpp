// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/checkpoints/files/tensor_file.hpp"

namespace parity::checkpoints {

/// The tensors of a model, from one safetensors file or model file of llm.c, from an index (*.index.json)
/// with the files that it lists, or from a folder. The folder holds model.safetensors, or
/// model.safetensors.index.json.
class WeightFiles {
 public:
  /// Opens every file and compares the index with them: each name must occur once, in the file of its entry.
  /// \throws UserError if a file is missing (exit 3) or invalid, or if the index is wrong
  explicit WeightFiles(const std::filesystem::path& path);

  /// Returns the path that the constructor got, for messages.
  const std::filesystem::path& path() const { return path_; }
  const std::map<std::string, StoredTensor>& tensors() const { return tensors_; }
  /// Returns the metadata of all files; of a key in several, the first file's.
  std::map<std::string, std::string> metadata() const;
  /// Removes the pages of these bytes from memory, if they belong to one of the files.
  void release(const std::byte* data, size_t bytes) const;

 private:
  void open_folder();
  void open_index(const std::filesystem::path& index);
  void add(const std::filesystem::path& file, const std::filesystem::path& index,
           const std::map<std::string, std::string>& file_of);

  std::filesystem::path path_;
  std::vector<std::unique_ptr<TensorFile>> files_;
  std::map<std::string, StoredTensor> tensors_;
};

}  // namespace parity::checkpoints
