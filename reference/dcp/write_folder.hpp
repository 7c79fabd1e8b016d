// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <torch/types.h>

#include "harness/tensor/placement.hpp"
#include "reference/comm/group.hpp"

namespace parity::reference {

/// What a rank writes of a logical tensor.
struct DcpItem {
  std::string name;
  torch::Tensor value;       ///< what the rank holds, on any device
  TensorLayout layout = {};  ///< of the value; empty = all of the tensor
};

/// Writes a folder of torch.distributed.checkpoint. Each rank writes its shards to one file, `__R_0.distcp`;
/// rank 0 writes `.metadata` last. They are written to FOLDER.partial, which then becomes FOLDER, so a reader
/// sees the checkpoint before or the whole new one. All ranks call it.
///
/// The bytes depend on values, layout and number of ranks alone.
/// \param own  every element of a logical tensor is in an item of one rank. A tensor that several ranks give
///             whole, as stages of a pipeline do with a counter, is read from the first of them
/// \throws UserError on every rank, if one cannot write or rank 0 does not see all files; PeerLost
void write_dcp_folder(const std::filesystem::path& folder, const std::vector<DcpItem>& own,
                      const Group& world);

}  // namespace parity::reference
