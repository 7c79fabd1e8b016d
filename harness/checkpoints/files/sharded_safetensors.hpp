// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/checkpoints/files/safetensors.hpp"

namespace parity::checkpoints {

/// What the name of an index ends with; write_sharded_safetensors and WeightFiles recognise it.
inline constexpr const char* sharded_index_ending = ".safetensors.index.json";

/// Writes tensors as several safetensors files with an index, which WeightFiles and transformers read.
///
/// NAME.safetensors.index.json has {"metadata": {"total_size": BYTES}, "weight_map": {TENSOR: FILE}}. Files
/// are NAME-00001-of-00003.safetensors and so on, beside the index. Tensors keep their order, and a tensor
/// that would make a file larger than `most_bytes` begins the next one. Source: huggingface_hub,
/// save_torch_model. Earlier shards of the same name and another count stay; the index does not list them.
/// \param index       path that ends in sharded_index_ending
/// \param most_bytes  of tensors in a file; one larger tensor has a file of its own
/// \throws UserError if a file cannot be written
void write_sharded_safetensors(const std::filesystem::path& index, std::vector<TensorToWrite> tensors,
                               int64_t most_bytes, const std::map<std::string, std::string>& metadata = {});

}  // namespace parity::checkpoints
