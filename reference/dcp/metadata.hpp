// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace parity::reference {

/// A box of a tensor, and where its bytes are.
struct DcpChunk {
  std::vector<int64_t> offsets;  ///< in the tensor, one for each dimension
  std::vector<int64_t> sizes;
  std::string file;      ///< name in the folder
  int64_t position = 0;  ///< of the first byte in the file
  int64_t length = 0;    ///< [bytes] of the torch.save archive
};

/// A tensor of a DCP folder. Its chunks together have each element once.
struct DcpTensor {
  std::string dtype;  ///< as PyTorch names it, such as "float32"
  std::vector<int64_t> shape;
  std::vector<DcpChunk> chunks;
};

/// What `.metadata` says of a folder of torch.distributed.checkpoint.
struct DcpMetadata {
  std::map<std::string, DcpTensor> tensors;
  std::vector<std::string> others;  ///< names of entries that are not tensors
  std::string save_id;              ///< of the save; the trainer writes a hash of all shards
};

/// Returns the product of sizes. \throws FormatError for a negative size or an overflow
int64_t elements_of(const std::vector<int64_t>& sizes);

/// Checks that the chunks of a tensor lie in it, do not overlap, and have every element.
/// PyTorch's reader leaves elements without a chunk as they were, so a forgotten shard would pass.
/// \throws FormatError naming the tensor
void check_chunks(const std::string& name, const DcpTensor& tensor);

}  // namespace parity::reference
