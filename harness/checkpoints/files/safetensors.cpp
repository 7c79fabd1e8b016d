// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/checkpoints/files/safetensors.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <set>
#include <string_view>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/checkpoints/files/safetensors_header.hpp"

namespace parity::checkpoints {
namespace fs = std::filesystem;
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr uint64_t length_bytes = sizeof(uint64_t);

[[noreturn]] void refuse(const fs::path& path, const std::string& why) {
  throw UserError(escape_for_terminal(path.string()) + " is not a safetensors file (" + why +
                  "); write or fetch it again");
}

/// \param file_bytes  of the whole file
uint64_t header_length(const fs::path& path, const trace::MappedFile& bytes, uint64_t file_bytes) {
  uint64_t length = 0;
  std::memcpy(&length, bytes.at(0), sizeof length);
  const std::string says = "its first 8 bytes say that the header has " + std::to_string(length) + " bytes, ";
  if (length > largest_header)
    refuse(path, says + "more than the " + std::to_string(largest_header) + " that a header may have");
  if (length > file_bytes - length_bytes)
    refuse(path, says + "and only " + std::to_string(file_bytes - length_bytes) + " follow");
  return length;
}

}  // namespace

SafetensorsFile::SafetensorsFile(const fs::path& path) : TensorFile(path) {
  const uint64_t size = size_of_weights(path);
  if (size < length_bytes)
    refuse(path, "it has " + std::to_string(size) + " bytes, and the length of the header alone takes 8");
  bytes_ = std::make_unique<trace::MappedFile>(path, size);
  const uint64_t length = header_length(path, *bytes_, size);
  const uint64_t data = length_bytes + length;
  const std::string_view text(reinterpret_cast<const char*>(bytes_->at(length_bytes)), length);
  SafetensorsHeader header = parse_header(text, size - data, escape_for_terminal(path.string()));
  metadata_ = std::move(header.metadata);
  for (HeaderEntry& entry : header.tensors)
    tensors_[entry.name] = {{entry.type.dtype, std::move(entry.shape), bytes_->at(data + entry.begin)},
                            entry.type};
}

void write_safetensors(const fs::path& path, std::vector<TensorToWrite> tensors,
                       const std::map<std::string, std::string>& metadata) {
  std::sort(tensors.begin(), tensors.end(), [](const TensorToWrite& a, const TensorToWrite& b) {
    return std::pair(size_of(b.dtype), std::string_view(a.name)) <
           std::pair(size_of(a.dtype), std::string_view(b.name));
  });
  SafetensorsHeader header;
  header.metadata = metadata;
  std::set<std::string> names;
  uint64_t at = 0;
  for (const TensorToWrite& tensor : tensors) {
    require(names.insert(tensor.name).second, "two tensors of the name " + tensor.name);
    const uint64_t end = at + static_cast<uint64_t>(element_count(tensor.shape)) * size_of(tensor.dtype);
    header.tensors.push_back(
        {tensor.name, stored_types.at(static_cast<size_t>(tensor.dtype)), tensor.shape, at, end});
    at = end;
  }
  const std::string text = header_text(header);
  require(text.size() <= largest_header, "a header that no reader takes");
  NewFile file(path);
  std::array<char, length_bytes> length{};
  const uint64_t text_bytes = text.size();
  std::memcpy(length.data(), &text_bytes, sizeof text_bytes);
  file.write({length.data(), length.size()});
  file.write(text);
  for (size_t i = 0; i < tensors.size(); ++i) {
    uint64_t written = 0;
    tensors[i].bytes([&](const void* data, size_t bytes) {
      file.write({static_cast<const char*>(data), bytes});
      written += bytes;
    });
    require(written == header.tensors[i].end - header.tensors[i].begin,
            "another number of bytes than promised for " + tensors[i].name);
  }
  file.finish();
}

}  // namespace parity::checkpoints
