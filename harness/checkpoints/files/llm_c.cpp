// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/checkpoints/files/llm_c.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"

namespace parity::checkpoints {
namespace fs = std::filesystem;
namespace {

constexpr int32_t magic = 20240326;
constexpr uint64_t header_bytes = 256 * sizeof(int32_t);
constexpr int32_t largest_size = 1 << 24;  // of a header's field, so that no product overflows

[[noreturn]] void refuse_llm_c(const fs::path& path, const std::string& why) {
  throw UserError(escape_for_terminal(path.string()) + " is not a model file of llm.c (" + why +
                  "); write or fetch it again");
}

struct Header {
  int32_t magic, version, positions, vocabulary, layers, heads, width, padded_vocabulary;
};

/// An array of the file. It has one tensor a layer if `name` has a '#'.
struct Array {
  std::string_view name;
  Shape shape;  ///< of one tensor
};

/// The order of the file.
std::vector<Array> arrays_of(const Header& header) {
  const int64_t c = header.width;
  return {{"transformer.wte.weight", {header.padded_vocabulary, c}},
          {"transformer.wpe.weight", {header.positions, c}},
          {"transformer.h.#.ln_1.weight", {c}},
          {"transformer.h.#.ln_1.bias", {c}},
          {"transformer.h.#.attn.c_attn.weight", {3 * c, c}},
          {"transformer.h.#.attn.c_attn.bias", {3 * c}},
          {"transformer.h.#.attn.c_proj.weight", {c, c}},
          {"transformer.h.#.attn.c_proj.bias", {c}},
          {"transformer.h.#.ln_2.weight", {c}},
          {"transformer.h.#.ln_2.bias", {c}},
          {"transformer.h.#.mlp.c_fc.weight", {4 * c, c}},
          {"transformer.h.#.mlp.c_fc.bias", {4 * c}},
          {"transformer.h.#.mlp.c_proj.weight", {c, 4 * c}},
          {"transformer.h.#.mlp.c_proj.bias", {c}},
          {"transformer.ln_f.weight", {c}},
          {"transformer.ln_f.bias", {c}}};
}

int64_t copies_of(const Array& array, const Header& header) {
  return array.name.find('#') == std::string_view::npos ? 1 : header.layers;
}

std::string name_in_layer(std::string_view name, int64_t layer) {
  std::string text(name);
  if (const size_t at = text.find('#'); at != std::string::npos)
    text.replace(at, 1, std::to_string(layer));
  return text;
}

Header header_of(const fs::path& path, const trace::MappedFile& bytes) {
  Header header{};
  std::memcpy(&header, bytes.at(0), sizeof header);
  if (header.magic != magic)
    refuse_llm_c(path, fmt::format("it begins with {} instead of {}", header.magic, magic));
  if (header.version != 3 && header.version != 5)
    refuse_llm_c(path, fmt::format("its version is {}; versions 3, float32, and 5, bfloat16, are read",
                                   header.version));
  const auto possible = [](int32_t size) { return size > 0 && size <= largest_size; };
  if (!possible(header.positions) || !possible(header.vocabulary) || !possible(header.layers) ||
      !possible(header.heads) || !possible(header.width) || !possible(header.padded_vocabulary) ||
      header.padded_vocabulary < header.vocabulary || header.width % header.heads != 0)
    refuse_llm_c(path,
                 fmt::format("its header has {} positions, a vocabulary of {} padded to {}, {} layers and {} "
                             "heads of a width of {}",
                             header.positions, header.vocabulary, header.padded_vocabulary, header.layers,
                             header.heads, header.width));
  return header;
}

/// \return bytes of all arrays; as double, since a hostile header multiplies to more than 64 bits
double weight_bytes(const Header& header, size_t element) {
  double elements = 0;
  for (const Array& array : arrays_of(header)) {
    double one = static_cast<double>(copies_of(array, header));
    for (const int64_t size : array.shape)
      one *= static_cast<double>(size);
    elements += one;
  }
  return elements * static_cast<double>(element);
}

bool all_zero(const TensorView& view) {
  return std::ranges::all_of(view.raw(), [](std::byte byte) { return byte == std::byte{0}; });
}

/// Cuts the rows that pad the vocabulary off the embedding.
void cut_padding(const Header& header, std::map<std::string, StoredTensor>& tensors) {
  StoredTensor& embedding = tensors.at("transformer.wte.weight");
  StoredTensor padding = embedding;
  embedding.shape[0] = header.vocabulary;
  padding.shape[0] = header.padded_vocabulary - header.vocabulary;
  padding.data = embedding.raw().data() + embedding.bytes();
  if (!all_zero(padding))
    tensors["transformer.wte.padding"] = padding;
}

}  // namespace

bool has_llm_c_head(std::string_view head) {
  std::array<int32_t, 2> start{};  // a version follows; in a safetensors file zeros would follow this number
  if (head.size() < sizeof start)
    return false;
  std::memcpy(start.data(), head.data(), sizeof start);
  return start[0] == magic && start[1] != 0;
}

LlmcFile::LlmcFile(const fs::path& path) : TensorFile(path) {
  const uint64_t size = size_of_weights(path);
  if (size < header_bytes)
    refuse_llm_c(path, fmt::format("it has {} bytes, and the header alone takes {}", size, header_bytes));
  bytes_ = std::make_unique<trace::MappedFile>(path, size);
  const Header header = header_of(path, *bytes_);
  const StoredType type = stored_types.at(header.version == 3 ? 1 : 2);
  const double expected = weight_bytes(header, size_of(type.dtype));
  if (expected != static_cast<double>(size - header_bytes))
    refuse_llm_c(path, fmt::format("its header says {:.0f} bytes of weights, and {} follow", expected,
                                   size - header_bytes));
  uint64_t at = header_bytes;
  for (const Array& array : arrays_of(header))
    for (int64_t layer = 0; layer < copies_of(array, header); ++layer) {
      StoredTensor tensor{{type.dtype, array.shape, bytes_->at(at)}, type};
      at += tensor.bytes();
      tensors_[name_in_layer(array.name, layer)] = std::move(tensor);
    }
  cut_padding(header, tensors_);
  metadata_ = {{"format", "llm.c"}, {"head_size", std::to_string(header.width / header.heads)}};
}

}  // namespace parity::checkpoints
