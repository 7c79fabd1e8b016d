// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <torch/types.h>

#include "harness/tensor/placement.hpp"
#include "reference/comm/group.hpp"
#include "reference/train/checkpoint/whole_tensors.hpp"

namespace parity::reference {

/// The tensors of a checkpoint, by name, wherever they are. It remembers which were read.
class SavedValues {
 public:
  struct Form {
    std::vector<int64_t> shape;  ///< of the logical tensor
    torch::ScalarType dtype = torch::kFloat32;
  };

  explicit SavedValues(std::filesystem::path path) : path_(std::move(path)) {}
  virtual ~SavedValues() = default;

  /// The file or folder, for messages.
  const std::filesystem::path& path() const { return path_; }
  virtual bool contains(const std::string& name) const = 0;
  virtual std::vector<std::string> names() const = 0;
  /// \throws UserError if there is no such tensor
  Form form(const std::string& name) const;
  /// Returns what a rank holds of a tensor, contiguous and on the CPU. \throws UserError as form()
  torch::Tensor read(const std::string& name, const TensorLayout& layout = {}) const;
  /// The names that read() was called with.
  const std::set<std::string>& used() const { return used_; }

 private:
  virtual Form form_of(const std::string& name) const = 0;
  virtual torch::Tensor part_of(const std::string& name, const TensorLayout& layout) const = 0;
  void require_there(const std::string& name) const;

  std::filesystem::path path_;
  mutable std::set<std::string> used_;
};

/// Opens a checkpoint of either format. All ranks call it.
/// \param path  a file with whole tensors that rank 0 sees, or a DCP folder that every rank sees
/// \throws UserError on every rank if it is missing or damaged; PeerLost
std::unique_ptr<SavedValues> open_saved_values(const std::filesystem::path& path, CheckpointFormat format,
                                               const Group& world);

}  // namespace parity::reference
