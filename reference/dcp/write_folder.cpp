// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/dcp/write_folder.hpp"

#include <utility>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/json/json.hpp"
#include "harness/measure/tensor/content_hash.hpp"
#include "reference/comm/texts.hpp"
#include "reference/dcp/agree.hpp"
#include "reference/dcp/chunks.hpp"
#include "reference/dcp/metadata.hpp"
#include "reference/dcp/metadata_pickle.hpp"
#include "reference/dcp/tensor_archive.hpp"

namespace parity::reference {
namespace fs = std::filesystem;
namespace {

/// PyTorch's name of the first file of a rank.
std::string shard_name(int64_t rank) {
  return fmt::format("__{}_0.distcp", rank);
}

fs::path with_ending(fs::path folder, const char* ending) {
  return folder += ending;
}

/// What a rank wrote, as the ranks send it to each other.
struct WrittenShard {
  std::map<std::string, DcpTensor> tensors;
  int64_t bytes = 0;
  std::string hash;
};

Json to_json(const WrittenShard& shard) {
  Json tensors = Json::object();
  for (const auto& [name, tensor] : shard.tensors) {
    Json chunks = Json::array();
    for (const DcpChunk& chunk : tensor.chunks)
      chunks.push_back({chunk.offsets, chunk.sizes, chunk.position, chunk.length});
    tensors[name] = {{"dtype", tensor.dtype}, {"shape", tensor.shape}, {"chunks", std::move(chunks)}};
  }
  return {{"tensors", std::move(tensors)}, {"bytes", shard.bytes}, {"hash", shard.hash}};
}

WrittenShard from_json(const Json& json, const std::string& file) {
  WrittenShard shard{{}, json.at("bytes").get<int64_t>(), json.at("hash").get<std::string>()};
  for (const auto& [name, tensor] : json.at("tensors").items()) {
    DcpTensor& to = shard.tensors[name];
    tensor.at("dtype").get_to(to.dtype);
    tensor.at("shape").get_to(to.shape);
    for (const Json& chunk : tensor.at("chunks"))
      to.chunks.push_back({chunk.at(0), chunk.at(1), file, chunk.at(2), chunk.at(3)});
  }
  return shard;
}

std::vector<int64_t> logical_shape(const DcpItem& item) {
  return item.layout.global_shape.empty() ? item.value.sizes().vec() : item.layout.global_shape;
}

/// Writes a rank's items one after the other.
WrittenShard write_shard(const fs::path& file, const std::vector<DcpItem>& items) {
  NewFile out(file);
  measure::ContentHash hash;
  WrittenShard shard;
  for (const DcpItem& item : items) {
    DcpTensor& tensor = shard.tensors[item.name];
    require(tensor.dtype.empty(), "a rank gives a tensor twice");
    tensor = {dtype_name(item.value.scalar_type()), logical_shape(item), {}};
    for (const HeldChunk& box : held_chunks(item.layout, tensor.shape)) {
      const std::vector<char> bytes = tensor_archive(box_of(item.value, box.local, box.sizes));
      out.write({bytes.data(), bytes.size()});
      hash.add(std::string_view(bytes.data(), bytes.size()));
      const auto length = static_cast<int64_t>(bytes.size());
      tensor.chunks.push_back({box.offsets, box.sizes, "", shard.bytes, length});
      shard.bytes += length;
    }
  }
  out.finish();
  shard.hash = hash.hex();
  return shard;
}

/// Adds what a later rank wrote. A tensor that an earlier rank has whole is the same there.
void add(std::map<std::string, DcpTensor>& all, const WrittenShard& shard) {
  for (const auto& [name, tensor] : shard.tensors) {
    const auto [found, is_new] = all.emplace(name, tensor);
    DcpTensor& known = found->second;
    if (is_new)
      continue;
    require(known.dtype == tensor.dtype && known.shape == tensor.shape, "ranks differ in " + name);
    const bool is_whole = known.chunks.size() == 1 && known.chunks[0].sizes == known.shape;
    if (!is_whole)
      known.chunks.insert(known.chunks.end(), tensor.chunks.begin(), tensor.chunks.end());
  }
}

/// Joins what the ranks wrote into the metadata of the folder.
/// \throws UserError if rank 0 does not see a file of another rank
DcpMetadata join(const fs::path& partial, const std::vector<std::string>& plans) {
  DcpMetadata metadata;
  measure::ContentHash hash;
  for (size_t rank = 0; rank < plans.size(); ++rank) {
    const std::string name = shard_name(static_cast<int64_t>(rank));
    const WrittenShard shard = from_json(Json::parse(plans[rank]), name);
    std::error_code missing;
    const uintmax_t bytes = fs::file_size(partial / name, missing);
    if (missing || static_cast<int64_t>(bytes) != shard.bytes)
      throw UserError(fmt::format(
          "cannot write {} (rank 0 does not see the file {} of rank {}); give all ranks one shared folder, "
          "or set checkpoint.format = \"torch_save\"",
          partial.string(), name, rank));
    add(metadata.tensors, shard);
    hash.add(shard.hash);
  }
  for (const auto& [name, tensor] : metadata.tensors)
    check_chunks(name, tensor);
  metadata.save_id = hash.hex();
  return metadata;
}

/// Makes the partial folder the folder. One that is there is removed only after that.
void take_place(const fs::path& partial, const fs::path& folder) {
  const fs::path old = with_ending(folder, ".old");
  fs::remove_all(old);
  if (fs::exists(folder)) {
    if (!fs::exists(folder / ".metadata") && !fs::is_empty(folder))
      throw UserError(fmt::format(
          "cannot replace {} (it is no DCP checkpoint); name another folder, or move it", folder.string()));
    fs::rename(folder, old);
  }
  fs::rename(partial, folder);
  fs::remove_all(old);
}

}  // namespace

void write_dcp_folder(const fs::path& folder, const std::vector<DcpItem>& own, const Group& world) {
  const fs::path partial = with_ending(folder, ".partial");
  on_all_ranks(world, [&] {
    if (world.rank() != 0)
      return;
    fs::remove_all(partial);
    fs::create_directories(partial);
  });
  Json plan;
  on_all_ranks(world, [&] { plan = to_json(write_shard(partial / shard_name(world.rank()), own)); });
  const std::vector<std::string> plans = gather_texts(plan.dump(), world);
  on_all_ranks(world, [&] {
    if (world.rank() != 0)
      return;
    write_file(partial / ".metadata", write_dcp_metadata(join(partial, plans)));
    take_place(partial, folder);
  });
}

}  // namespace parity::reference
