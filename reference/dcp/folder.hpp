// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include <torch/types.h>

#include "harness/tensor/placement.hpp"
#include "reference/comm/group.hpp"
#include "reference/dcp/metadata.hpp"

namespace parity::reference {

/// A folder of torch.distributed.checkpoint, which PyTorch or the trainer wrote from any number of ranks.
/// Each rank reads the chunks that it needs elements of.
class DcpFolder {
 public:
  /// Opens a folder and checks it: its metadata, that every element is in one chunk, and that each file is
  /// long enough. All ranks call it. They must see one folder, so the metadata have the same bytes
  /// everywhere.
  /// \throws UserError on every rank, exit 3 if the metadata or a file is missing; PeerLost
  DcpFolder(const std::filesystem::path& folder, const Group& world);

  const std::filesystem::path& path() const { return folder_; }
  const DcpMetadata& metadata() const { return metadata_; }
  /// Returns a tensor's entry; null without one.
  const DcpTensor* find(const std::string& name) const;

  /// Reads what a rank holds of a tensor, contiguous and on the CPU, with the bits that were saved.
  /// \throws UserError if a chunk is damaged, or has another dtype or shape than the metadata say
  torch::Tensor read(const std::string& name, const TensorLayout& layout) const;

 private:
  std::filesystem::path folder_;
  DcpMetadata metadata_;
};

}  // namespace parity::reference
