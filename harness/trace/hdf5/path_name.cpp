// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/hdf5/path_name.hpp"

#include <fmt/format.h>

#include "harness/base/error.hpp"

namespace parity::trace {
namespace {

constexpr std::string_view hex_digits = "0123456789ABCDEF";

}  // namespace

std::string encode_name(std::string_view name) {
  if (name.empty() || name == "." || name == "..")
    throw UserError(
        fmt::format("cannot use the name '{}' in a trace (HDF5 reserves it); choose another name", name));
  std::string link;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '/' || c == '%' || byte < 0x20 || byte == 0x7F) {
      link += '%';
      link += hex_digits[byte >> 4];
      link += hex_digits[byte & 15];
    } else {
      link += c;
    }
  }
  return link;
}

std::string decode_name(std::string_view link) {
  std::string name;
  for (size_t i = 0; i < link.size(); ++i) {
    if (link[i] != '%') {
      name += link[i];
      continue;
    }
    const size_t high = i + 1 < link.size() ? hex_digits.find(link[i + 1]) : std::string_view::npos;
    const size_t low = i + 2 < link.size() ? hex_digits.find(link[i + 2]) : std::string_view::npos;
    if (high == std::string_view::npos || low == std::string_view::npos)
      throw UserError(fmt::format(
          "cannot decode the name '{}' in a trace (a % needs two upper-case hexadecimal digits)", link));
    name += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return name;
}

}  // namespace parity::trace
