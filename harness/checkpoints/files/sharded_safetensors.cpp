// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/checkpoints/files/sharded_safetensors.hpp"

#include <utility>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/json/json.hpp"

namespace parity::checkpoints {
namespace fs = std::filesystem;
namespace {

int64_t bytes_of(const TensorToWrite& tensor) {
  return element_count(tensor.shape) * static_cast<int64_t>(size_of(tensor.dtype));
}

std::vector<std::vector<TensorToWrite>> divide(std::vector<TensorToWrite> tensors, int64_t most_bytes) {
  std::vector<std::vector<TensorToWrite>> shards;
  int64_t room = 0;
  for (TensorToWrite& tensor : tensors) {
    const int64_t bytes = bytes_of(tensor);
    if (shards.empty() || bytes > room) {
      shards.emplace_back();
      room = most_bytes;
    }
    room -= bytes;
    shards.back().push_back(std::move(tensor));
  }
  return shards;
}

/// Returns "model" of "model.safetensors.index.json".
std::string stem_of(const fs::path& index) {
  const std::string name = index.filename().string();
  const std::string_view ending = sharded_index_ending;
  if (!name.ends_with(ending) || name.size() == ending.size())
    throw InternalError("no index of safetensors files: " + name);
  return name.substr(0, name.size() - ending.size());
}

}  // namespace

void write_sharded_safetensors(const fs::path& index, std::vector<TensorToWrite> tensors, int64_t most_bytes,
                               const std::map<std::string, std::string>& metadata) {
  const std::string stem = stem_of(index);
  int64_t total = 0;
  Json map = Json::object();
  std::vector<std::vector<TensorToWrite>> shards = divide(std::move(tensors), most_bytes);
  for (size_t i = 0; i < shards.size(); ++i) {
    const std::string file = fmt::format("{}-{:05}-of-{:05}.safetensors", stem, i + 1, shards.size());
    for (const TensorToWrite& tensor : shards[i]) {
      map[tensor.name] = file;
      total += bytes_of(tensor);
    }
    write_safetensors(index.parent_path() / file, std::move(shards[i]), metadata);
  }
  const Json content = {{"metadata", {{"total_size", total}}}, {"weight_map", map}};
  write_file(index, content.dump(2) + "\n");
}

}  // namespace parity::checkpoints
