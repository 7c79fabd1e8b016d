// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/trace/read/trace.hpp"

namespace parity::compare {

/// Serializes values for a digest. Each string and list follows its length, so no two contents give the same
/// bytes.
class ContentBytes {
 public:
  template <class T>
  void number(T value) {
    const auto* first = reinterpret_cast<const char*>(&value);
    bytes_.append(first, sizeof value);
  }
  void text(const std::string& value) {
    number(static_cast<uint64_t>(value.size()));
    bytes_ += value;
  }
  template <class T>
  void list(const std::vector<T>& values) {
    number(static_cast<uint64_t>(values.size()));
    for (const T& value : values)
      number(value);
  }
  /// Returns the digest as 32 hexadecimal digits.
  std::string digest() const {
    return measure::to_string(
        measure::digest_of({DType::uint8, {static_cast<int64_t>(bytes_.size())}, bytes_.data()}));
  }

 private:
  std::string bytes_;
};

}  // namespace parity::compare
