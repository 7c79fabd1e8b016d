// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/format/operator_tensor.hpp"

#include <charconv>

namespace parity::trace {
namespace {

std::optional<int64_t> number_in(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0)
    return std::nullopt;
  return value;
}

}  // namespace

std::string OperatorTensor::name() const {
  return module + "@" + std::to_string(number) + ":" + op + ":" + slot +
         (rank ? "#" + std::to_string(*rank) : "");
}

std::optional<OperatorTensor> parse_operator_tensor(std::string_view name) {
  const size_t at = name.find('@');
  if (at == std::string_view::npos)
    return std::nullopt;
  OperatorTensor tensor;
  tensor.module = name.substr(0, at);
  std::string_view rest = name.substr(at + 1);
  if (const size_t hash = rest.rfind('#'); hash != std::string_view::npos) {
    tensor.rank = number_in(rest.substr(hash + 1));
    if (!tensor.rank)
      return std::nullopt;
    rest = rest.substr(0, hash);
  }
  const size_t first = rest.find(':'), last = rest.rfind(':');
  if (first == std::string_view::npos || last == first)
    return std::nullopt;
  const std::optional<int64_t> number = number_in(rest.substr(0, first));
  if (!number)
    return std::nullopt;
  tensor.number = *number;
  tensor.op = rest.substr(first + 1, last - first - 1);
  tensor.slot = rest.substr(last + 1);
  return tensor;
}

}  // namespace parity::trace
