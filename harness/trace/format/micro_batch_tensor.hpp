// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace parity::trace {

/// Returns the name of a parameter's gradient from one micro-batch alone, phase grad_local. As the names of
/// operators' tensors it contains '@':
///
///     layers.0.attention.wq.weight@1:micro_batch
///     layers.0.attention.wq.weight@1.2:micro_batch    a later part of it
///
/// \param number  of the micro-batch within the update, from 0
/// \param part    of the micro-batch, from 0: it may add to one gradient several times, as chunks of a loss
/// do
inline std::string micro_batch_tensor(std::string_view parameter, int64_t number, int64_t part = 0) {
  std::string name(parameter);
  name += '@' + std::to_string(number);
  if (part > 0)
    name += '.' + std::to_string(part);
  return name + ":micro_batch";
}

/// A gradient of one micro-batch alone, or of one of its parts.
struct MicroBatchTensor {
  std::string parameter;
  int64_t number = 0;
  int64_t part = 0;
};

/// Parses such a name; returns nothing for the name of another tensor.
inline std::optional<MicroBatchTensor> parse_micro_batch_tensor(std::string_view name) {
  constexpr std::string_view ending = ":micro_batch";
  const size_t at = name.rfind('@');
  if (at == std::string_view::npos || !name.ends_with(ending))
    return std::nullopt;
  MicroBatchTensor tensor{std::string(name.substr(0, at))};
  const std::string_view digits = name.substr(at + 1, name.size() - ending.size() - at - 1);
  const char* const last = digits.data() + digits.size();
  std::from_chars_result read = std::from_chars(digits.data(), digits.data() + digits.size(), tensor.number);
  if (read.ec == std::errc{} && read.ptr != last && *read.ptr == '.') {
    read = std::from_chars(read.ptr + 1, last, tensor.part);
    if (tensor.part < 1)
      return std::nullopt;
  }
  if (read.ec != std::errc{} || read.ptr != last || tensor.number < 0)
    return std::nullopt;
  return tensor;
}

}  // namespace parity::trace
