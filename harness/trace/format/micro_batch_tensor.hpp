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
///
/// \param number  of the micro-batch within the update, from 0
inline std::string micro_batch_tensor(std::string_view parameter, int64_t number) {
  return std::string(parameter) + "@" + std::to_string(number) + ":micro_batch";
}

/// A gradient of one micro-batch alone.
struct MicroBatchTensor {
  std::string parameter;
  int64_t number = 0;
};

/// Parses such a name; returns nothing for the name of another tensor.
inline std::optional<MicroBatchTensor> parse_micro_batch_tensor(std::string_view name) {
  constexpr std::string_view ending = ":micro_batch";
  const size_t at = name.rfind('@');
  if (at == std::string_view::npos || !name.ends_with(ending))
    return std::nullopt;
  MicroBatchTensor tensor{std::string(name.substr(0, at))};
  const std::string_view digits = name.substr(at + 1, name.size() - ending.size() - at - 1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), tensor.number);
  if (error != std::errc{} || end != digits.data() + digits.size() || tensor.number < 0)
    return std::nullopt;
  return tensor;
}

}  // namespace parity::trace
