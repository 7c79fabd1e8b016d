// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/dcp/folder.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "reference/comm/texts.hpp"
#include "reference/dcp/agree.hpp"
#include "reference/dcp/chunks.hpp"
#include "reference/dcp/metadata_pickle.hpp"
#include "reference/dcp/pickle/value.hpp"
#include "reference/dcp/tensor_archive.hpp"

namespace parity::reference {
namespace fs = std::filesystem;
namespace {

constexpr const char* metadata_name = ".metadata";

std::string read_metadata_bytes(const fs::path& folder) {
  if (!fs::exists(folder))
    throw UserError(
        fmt::format("cannot read {} (it does not exist); save a checkpoint with --stop-after first",
                    folder.string()),
        ExitCode::missing);
  if (!fs::exists(folder / metadata_name))
    throw UserError(fmt::format("cannot read {} (it has no {}, which a save writes last); name a folder of "
                                "torch.distributed.checkpoint, or save again",
                                folder.string(), metadata_name),
                    ExitCode::missing);
  return read_file(folder / metadata_name);
}

DcpMetadata parse(const fs::path& folder, const std::string& bytes) {
  try {
    return read_dcp_metadata(bytes);
  } catch (const FormatError& error) {
    throw UserError(fmt::format("cannot read {} ({}); save the checkpoint again",
                                (folder / metadata_name).string(), error.what()));
  }
}

/// Checks that every file has the bytes that the metadata name.
void check_files(const fs::path& folder, const DcpMetadata& metadata) {
  std::map<std::string, int64_t> ends;
  for (const auto& [name, tensor] : metadata.tensors)
    for (const DcpChunk& chunk : tensor.chunks) {
      int64_t end = 0;
      if (__builtin_add_overflow(chunk.position, chunk.length, &end))
        throw UserError(fmt::format("cannot read {} of {} (its bytes end beyond 2^63); save again",
                                    parity::quoted(name), folder.string()));
      ends[chunk.file] = std::max(ends[chunk.file], end);
    }
  for (const auto& [file, end] : ends) {
    std::error_code missing;
    const uintmax_t bytes = fs::file_size(folder / file, missing);
    if (missing)
      throw UserError(fmt::format("cannot read {} (its file {} is missing); copy the whole folder",
                                  folder.string(), parity::quoted(file)),
                      ExitCode::missing);
    if (bytes < static_cast<uintmax_t>(end))
      throw UserError(
          fmt::format("cannot read {} (it is cut short: {} bytes, and the metadata name {}); copy "
                      "it again, or save again",
                      (folder / file).string(), bytes, end));
  }
}

}  // namespace

DcpFolder::DcpFolder(const fs::path& folder, const Group& world) : folder_(folder) {
  std::string own;
  on_all_ranks(world, [&] { own = read_metadata_bytes(folder); });
  const std::string first = broadcast_text(own, world, 0);
  on_all_ranks(world, [&] {
    if (own != first)
      throw UserError(
          fmt::format("cannot read {} (its metadata differ from those that rank 0 sees); give all "
                      "ranks one shared folder",
                      folder.string()));
    metadata_ = parse(folder, own);
    check_files(folder, metadata_);
  });
}

const DcpTensor* DcpFolder::find(const std::string& name) const {
  const auto found = metadata_.tensors.find(name);
  return found == metadata_.tensors.end() ? nullptr : &found->second;
}

torch::Tensor DcpFolder::read(const std::string& name, const TensorLayout& layout) const {
  const DcpTensor* tensor = find(name);
  require(tensor != nullptr, "no tensor " + name);
  const auto dtype = dtype_of_name(tensor->dtype);
  if (!dtype)
    throw UserError(fmt::format("cannot read {} of {} (its dtype is {}); save it as another",
                                parity::quoted(name), folder_.string(), tensor->dtype));
  const std::vector<HeldChunk> boxes = held_chunks(layout, tensor->shape);
  const torch::Tensor held = torch::empty(held_sizes(layout, tensor->shape), *dtype);
  int64_t copied = 0;
  for (const DcpChunk& chunk : tensor->chunks) {
    if (!have_common(boxes, chunk.offsets, chunk.sizes))
      continue;
    const torch::Tensor stored = read_tensor_archive(folder_ / chunk.file, chunk.position, chunk.length);
    if (stored.sizes() != at::IntArrayRef(chunk.sizes) || stored.scalar_type() != *dtype)
      throw UserError(
          fmt::format("cannot read {} of {} (a chunk in {} has another shape or dtype than the "
                      "metadata say); save the checkpoint again",
                      parity::quoted(name), folder_.string(), parity::quoted(chunk.file)));
    copied += copy_common(held, boxes, chunk.offsets, stored);
  }
  require(copied == held.numel(), "elements of " + name + " in no chunk");
  return held;
}

}  // namespace parity::reference
