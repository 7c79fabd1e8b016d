// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/data/formats/megatron_index.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "reference/data/data_file.hpp"
#include "reference/data/formats/file_bytes.hpp"

namespace parity::reference {
namespace {
namespace fs = std::filesystem;

constexpr std::string_view magic("MMIDIDX\0\0", 9);
constexpr size_t header_bytes = magic.size() + 8 + 1 + 8 + 8;

/// The parts of an index.
struct Index {
  uint8_t type = 0;
  std::vector<int64_t> lengths;   ///< tokens of each sequence
  std::vector<int64_t> pointers;  ///< first byte of each sequence
  std::vector<int64_t> bounds;    ///< first sequence of each document, and one past the last
};

size_t width_of(const FileBytes& file, uint8_t type) {
  switch (type) {
    case 1:
    case 2:
      return 1;
    case 3:
    case 8:
      return 2;
    case 4:
      return 4;
    case 5:
      return 8;
    default:
      file.refuse("its type of tokens has the code " + std::to_string(type) + ", and no integer type has it");
  }
}

std::vector<int64_t> tokens_at(const FileBytes& bin, uint8_t type, size_t offset, size_t count) {
  switch (type) {
    case 1:
      return bin.numbers<uint8_t>(offset, count);
    case 2:
      return bin.numbers<int8_t>(offset, count);
    case 3:
      return bin.numbers<int16_t>(offset, count);
    case 4:
      return bin.numbers<int32_t>(offset, count);
    case 5:
      return bin.numbers<int64_t>(offset, count);
    default:
      return bin.numbers<uint16_t>(offset, count);
  }
}

/// Checks that the bounds of documents begin at 0, do not fall, and end behind the last sequence.
void check_bounds(const FileBytes& file, const Index& index) {
  const bool ordered = std::ranges::is_sorted(index.bounds);
  if (index.bounds.empty() || index.bounds.front() != 0 || !ordered ||
      index.bounds.back() != static_cast<int64_t>(index.lengths.size()))
    file.refuse("its documents do not cover its " + std::to_string(index.lengths.size()) +
                " sequences in order");
}

Index read_index(const FileBytes& file) {
  if (!file.starts_with(magic))
    file.refuse("it does not begin with MMIDIDX");
  if (const auto version = file.number<uint64_t>(magic.size()); version != 1)
    file.refuse("its version is " + std::to_string(version) + ", expected 1");
  Index index;
  index.type = file.number<uint8_t>(magic.size() + 8);
  width_of(file, index.type);
  const auto sequences = file.number<uint64_t>(magic.size() + 9);
  const auto bounds = file.number<uint64_t>(magic.size() + 17);
  size_t at = header_bytes;
  index.lengths = file.numbers<int32_t>(at, sequences);
  at += sequences * sizeof(int32_t);
  index.pointers = file.numbers<int64_t>(at, sequences);
  at += sequences * sizeof(int64_t);
  index.bounds = file.numbers<int64_t>(at, bounds);
  at += bounds * sizeof(int64_t);
  if (at + sequences == file.size() && sequences > 0)
    file.refuse("it has a mode for each sequence, so it is multimodal");
  if (at != file.size())
    file.refuse("it has " + std::to_string(file.size()) + " bytes, and its sequences need " +
                std::to_string(at));
  check_bounds(file, index);
  return index;
}

/// Appends a sequence. Sequences follow each other without gaps, as Megatron's builder writes them.
void append(StoredTokens& stored, const Index& index, size_t sequence, const FileBytes& bin) {
  const size_t width = width_of(bin, index.type);
  const size_t expected = stored.tokens.size() * width;
  if (index.lengths[sequence] < 0 || index.pointers[sequence] != static_cast<int64_t>(expected))
    bin.refuse("sequence " + std::to_string(sequence) + " of its index has " +
               std::to_string(index.lengths[sequence]) + " tokens at byte " +
               std::to_string(index.pointers[sequence]) + ", expected at byte " + std::to_string(expected));
  const std::vector<int64_t> tokens =
      tokens_at(bin, index.type, expected, static_cast<size_t>(index.lengths[sequence]));
  stored.tokens.insert(stored.tokens.end(), tokens.begin(), tokens.end());
}

}  // namespace

StoredTokens read_megatron_tokens(const fs::path& path) {
  const std::string remedy = "write both files again with Megatron's tools/preprocess_data.py";
  if (path.extension() != ".idx")
    throw UserError("data.path: cannot read " + path.string() +
                    " (Megatron's data are named by their index); name the .idx file");
  const Index index = read_index(FileBytes(path, remedy));
  const fs::path data = fs::path(path).replace_extension(".bin");
  require_data_file(data);
  const FileBytes bin(data, remedy);
  StoredTokens stored;
  for (size_t document = 0; document + 1 < index.bounds.size(); ++document) {
    for (auto sequence = index.bounds[document]; sequence < index.bounds[document + 1]; ++sequence)
      append(stored, index, static_cast<size_t>(sequence), bin);
    stored.ends.push_back(stored.tokens.size());
  }
  if (stored.tokens.size() * width_of(bin, index.type) != bin.size())
    bin.refuse("it has " + std::to_string(bin.size()) + " bytes, and its index lists " +
               std::to_string(stored.tokens.size()) + " tokens");
  return stored;
}

}  // namespace parity::reference
