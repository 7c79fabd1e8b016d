// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/data/formats/binary_tokens.hpp"

#include <string>

#include "reference/data/formats/file_bytes.hpp"

namespace parity::reference {
namespace {

constexpr size_t header_numbers = 256;
constexpr size_t header_bytes = header_numbers * sizeof(int32_t);

/// One of the two forms of an llm.c file.
struct LlmcForm {
  int32_t magic;
  int32_t version;
  size_t width;  ///< bytes of a token
};
constexpr LlmcForm gpt2_form{20240520, 1, sizeof(uint16_t)};
constexpr LlmcForm llama3_form{20240801, 7, sizeof(uint32_t)};

bool begins_like_llmc(const FileBytes& file) {
  if (file.size() < header_bytes)
    return false;
  const auto magic = file.number<int32_t>(0);
  return magic == gpt2_form.magic || magic == llama3_form.magic;
}

LlmcForm form_of(const FileBytes& file) {
  const auto magic = file.number<int32_t>(0);
  const auto version = file.number<int32_t>(sizeof(int32_t));
  for (const LlmcForm& form : {gpt2_form, llama3_form})
    if (form.magic == magic && form.version == version)
      return form;
    else if (form.magic == magic)
      file.refuse("its version is " + std::to_string(version) + ", expected " + std::to_string(form.version));
  file.refuse("its magic number is " + std::to_string(magic) + ", expected 20240520 or 20240801");
}

}  // namespace

std::vector<int64_t> read_nanogpt_tokens(const std::filesystem::path& path) {
  const FileBytes file(path, "write uint16 tokens with numpy's tofile, or set data.format");
  if (file.size() % sizeof(uint16_t) != 0)
    file.refuse("it has " + std::to_string(file.size()) + " bytes, and uint16 tokens have two each");
  for (const char* magic : {"\x93NUMPY", "MMIDIDX"})
    if (file.starts_with(magic))
      file.refuse("it begins with the header of a .npy or .idx file");
  if (begins_like_llmc(file))
    file.refuse("it begins with the header of an llm.c file");
  return file.numbers<uint16_t>(0, file.size() / sizeof(uint16_t));
}

std::vector<int64_t> read_llmc_tokens(const std::filesystem::path& path) {
  const FileBytes file(path, "write it again with llm.c's data script, or set data.format");
  if (file.size() < header_bytes)
    file.refuse("it has " + std::to_string(file.size()) + " bytes, fewer than a header of 1024");
  const LlmcForm form = form_of(file);
  const auto stated = file.number<int32_t>(2 * sizeof(int32_t));
  const size_t count = (file.size() - header_bytes) / form.width;
  if (stated < 0 || static_cast<size_t>(stated) != count || header_bytes + count * form.width != file.size())
    file.refuse("its header states " + std::to_string(stated) + " tokens, and " +
                std::to_string(file.size() - header_bytes) + " bytes follow: not " +
                std::to_string(form.width) + " for each");
  return form.width == sizeof(uint16_t) ? file.numbers<uint16_t>(header_bytes, count)
                                        : file.numbers<uint32_t>(header_bytes, count);
}

}  // namespace parity::reference
