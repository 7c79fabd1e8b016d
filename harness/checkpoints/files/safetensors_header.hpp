// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/checkpoints/files/stored_tensor.hpp"
#include "harness/tensor/shape.hpp"

namespace parity::checkpoints {

/// A tensor's entry in a safetensors header. Its bytes are [begin, end), counted from the end of the header.
struct HeaderEntry {
  std::string name;
  StoredType type = {};
  Shape shape;
  uint64_t begin = 0;
  uint64_t end = 0;
};

struct SafetensorsHeader {
  std::vector<HeaderEntry> tensors;  ///< in the order of their bytes, without a hole
  std::map<std::string, std::string> metadata;
};

/// Largest size of a header that is read [bytes]. Source: safetensors, tensor.rs, MAX_HEADER_SIZE.
inline constexpr uint64_t largest_header = 100'000'000;

/// Returns the name of a dtype in safetensors files, such as "BF16".
std::string_view safetensors_name(DType dtype);

/// Parses a header and compares it with the data after it. Each tensor's number of bytes must fit dtype and
/// shape. Together the tensors must cover the data without gaps and overlaps.
/// \param text        the JSON, which may be padded with spaces
/// \param data_bytes  size of the data after the header
/// \param file        name for messages
/// \throws UserError if the header is invalid (also with a duplicate key) or does not fit the data
SafetensorsHeader parse_header(std::string_view text, uint64_t data_bytes, const std::string& file);

/// Returns the header of consecutive tensors, for parse_header(). It is padded so that the data begins at a
/// multiple of 8 bytes in the file.
std::string header_text(const SafetensorsHeader& header);

}  // namespace parity::checkpoints
