// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/data/byte_tokenizer.hpp"

namespace parity::reference {
namespace {

/// The range of the byte after a lead byte, and the number of bytes that follow in total.
struct Tail {
  size_t count = 0;
  unsigned char low = 0x80;
  unsigned char high = 0xbf;
};

std::optional<Tail> tail_of(unsigned char lead) {
  if (lead < 0x80)
    return Tail{};
  if (lead >= 0xc2 && lead <= 0xdf)
    return Tail{1};
  if (lead == 0xe0)
    return Tail{2, 0xa0, 0xbf};
  if (lead == 0xed)
    return Tail{2, 0x80, 0x9f};
  if (lead >= 0xe1 && lead <= 0xef)
    return Tail{2};
  if (lead == 0xf0)
    return Tail{3, 0x90, 0xbf};
  if (lead == 0xf4)
    return Tail{3, 0x80, 0x8f};
  if (lead >= 0xf1 && lead <= 0xf3)
    return Tail{3};
  return std::nullopt;
}

}  // namespace

std::vector<int64_t> ByteTokenizer::encode_document(std::string_view text) {
  std::vector<int64_t> tokens;
  tokens.reserve(text.size() + 2);
  tokens.push_back(begin_of_text);
  for (const char c : text)
    tokens.push_back(static_cast<unsigned char>(c));
  tokens.push_back(end_of_text);
  return tokens;
}

std::optional<size_t> first_invalid_utf8(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  size_t i = 0;
  while (i < text.size()) {
    const std::optional<Tail> tail = tail_of(byte(i));
    if (!tail || tail->count >= text.size() - i)
      return i;
    for (size_t k = 1; k <= tail->count; ++k) {
      const unsigned char low = k == 1 ? tail->low : 0x80;
      const unsigned char high = k == 1 ? tail->high : 0xbf;
      if (byte(i + k) < low || byte(i + k) > high)
        return i;
    }
    i += 1 + tail->count;
  }
  return std::nullopt;
}

}  // namespace parity::reference
