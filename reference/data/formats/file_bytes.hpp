// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"

namespace parity::reference {

/// The bytes of a binary data file, and errors about them. Numbers are little-endian.
class FileBytes {
 public:
  /// \throws UserError if the file cannot be read
  FileBytes(const std::filesystem::path& path, std::string remedy)
      : name_(path.string()), bytes_(read_file(path)), remedy_(std::move(remedy)) {}

  size_t size() const { return bytes_.size(); }
  bool starts_with(std::string_view magic) const { return bytes_.starts_with(magic); }

  /// Returns the number at an offset. \throws UserError if the file ends before it
  template <class T>
  T number(size_t offset) const {
    require(offset, 1, sizeof(T));
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }

  /// Returns `count` numbers of type T from an offset on. \throws UserError if the file ends before
  template <class T>
  std::vector<int64_t> numbers(size_t offset, size_t count) const {
    require(offset, count, sizeof(T));
    std::vector<int64_t> values(count);
    for (size_t i = 0; i < count; ++i) {
      T value;
      std::memcpy(&value, bytes_.data() + offset + i * sizeof(T), sizeof value);
      values[i] = static_cast<int64_t>(value);  // NOLINT(bugprone-signed-char-misuse): int8 is a number
    }
    return values;
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw UserError("data.path: cannot read " + name_ + " (" + why + "); " + remedy_);
  }

 private:
  /// Checks that `count` items of `width` bytes follow an offset, without overflow.
  void require(size_t offset, size_t count, size_t width) const {
    if (offset > bytes_.size() || count > (bytes_.size() - offset) / width)
      refuse("it is cut short: it has " + std::to_string(bytes_.size()) + " bytes");
  }

  std::string name_;
  std::string bytes_;
  std::string remedy_;
};

}  // namespace parity::reference
