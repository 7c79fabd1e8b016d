// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "reference/weights/safetensors.hpp"

namespace parity::reference {

/// The tensors of a model, from one safetensors file or from a folder. The folder holds model.safetensors, or
/// several files that model.safetensors.index.json lists.
class WeightFiles {
 public:
  /// Opens every file and compares the index with them: each name must occur once, in the file of its entry.
  /// \throws UserError if a file is missing (exit 3) or invalid, or if the index is wrong
  explicit WeightFiles(const std::filesystem::path& path);

  /// Returns the path that the constructor got, for messages.
  const std::filesystem::path& path() const { return path_; }
  const std::map<std::string, TensorView>& tensors() const { return tensors_; }

 private:
  void open_folder();
  void open_index(const std::filesystem::path& index);
  void add(const std::filesystem::path& file, const std::map<std::string, std::string>& file_of);

  std::filesystem::path path_;
  std::vector<std::unique_ptr<SafetensorsFile>> files_;
  std::map<std::string, TensorView> tensors_;
};

}  // namespace parity::reference
