// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/tensor/shape.hpp"

#include "harness/base/error.hpp"

namespace parity {

int64_t element_count(const Shape& shape) {
  int64_t count = 1;
  for (const int64_t size : shape) {
    require(size >= 0, "negative size in shape " + to_string(shape));
    require(!__builtin_mul_overflow(count, size, &count), "too many elements in shape " + to_string(shape));
  }
  return count;
}

std::string to_string(const Shape& shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + ")";
}

std::vector<int64_t> coordinates(const Shape& shape, int64_t flat) {
  require(flat >= 0 && flat < element_count(shape),
          "element " + std::to_string(flat) + " is outside shape " + to_string(shape));
  std::vector<int64_t> index(shape.size());
  for (size_t i = shape.size(); i-- > 0;) {
    index[i] = flat % shape[i];
    flat /= shape[i];
  }
  return index;
}

}  // namespace parity
