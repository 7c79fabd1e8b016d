// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace parity::reference {

/// Encodes text with one token for each byte. Ids 0 to 255 are the bytes of UTF-8; the two marks of a
/// document follow.
struct ByteTokenizer {
  static constexpr int64_t begin_of_text = 256;
  static constexpr int64_t end_of_text = 257;
  static constexpr int64_t vocab_size = 258;

  /// Returns a document as tokens: begin_of_text, its bytes, end_of_text.
  static std::vector<int64_t> encode_document(std::string_view text);
};

/// Returns the offset of the first byte that does not belong to well-formed UTF-8; nothing if all bytes do.
/// Overlong forms, surrogates and values beyond U+10FFFF are not well-formed. Source: RFC 3629, section 4.
std::optional<size_t> first_invalid_utf8(std::string_view text);

}  // namespace parity::reference
