// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace parity::measure {

/// Computes XXH3-128 over a stream of values in canonical form: little-endian 8-byte numbers, floats by their
/// bits, strings and lists after their length. Streams of different structure always produce different bytes.
class ContentHash {
 public:
  ContentHash();
  ~ContentHash();
  ContentHash(const ContentHash&) = delete;
  ContentHash& operator=(const ContentHash&) = delete;

  void add(std::string_view text);
  void add(int64_t value);
  void add(uint64_t value);
  void add(double value);
  void add(std::span<const int64_t> values);
  void add(std::span<const double> values);

  /// Returns the hash of a file's bytes, as `xxh128sum` prints it. \throws UserError as read_file
  static std::string of_file(const std::filesystem::path& path);

  /// Returns the hash as 32 hexadecimal digits.
  std::string hex() const;

 private:
  void add_bytes(const void* data, size_t bytes);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace parity::measure
