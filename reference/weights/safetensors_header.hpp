// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/tensor/dtype.hpp"
#include "harness/tensor/shape.hpp"

namespace parity::reference {

/// A tensor as a safetensors header tells of it. Its bytes are [begin, end) behind the header.
struct HeaderEntry {
  std::string name;
  DType dtype = DType::float32;
  Shape shape;
  uint64_t begin = 0;
  uint64_t end = 0;
};

struct SafetensorsHeader {
  std::vector<HeaderEntry> tensors;  ///< in the order of their bytes, without a hole
  std::map<std::string, std::string> metadata;
};

/// The most bytes of header that are read. Source: safetensors, tensor.rs, MAX_HEADER_SIZE.
inline constexpr uint64_t largest_header = 100'000'000;

/// The name that a safetensors file has for a dtype, "BF16".
std::string_view safetensors_name(DType dtype);

/// Reads a header and holds it against the data behind it: each tensor's bytes are as many as dtype and shape
/// say, and all together they are the data, without holes and overlaps.
/// \param text        the JSON, which may be padded with spaces
/// \param data_bytes  that follow it
/// \param file        name for messages
/// \throws UserError for what is no header (also one that has a key twice) or does not fit the data
SafetensorsHeader parse_header(std::string_view text, uint64_t data_bytes, const std::string& file);

/// The header of tensors that lie one after the other, padded so that the data begins at a multiple of 8
/// bytes of the file. parse_header reads it.
std::string header_text(const SafetensorsHeader& header);

}  // namespace parity::reference
