// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/data/npy.hpp"

#include <cstring>
#include <string>
#include <string_view>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"

namespace parity::reference {
namespace {

/// The bytes of a file, and errors about them.
struct Npy {
  std::string name;
  std::string bytes;

  [[noreturn]] void refuse(const std::string& why) const {
    throw UserError("data.path: " + name + " cannot be read (" + why +
                    "); save a one-dimensional array of integers with numpy.save");
  }
};

template <class T>
T number_at(const std::string& bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

/// Returns what follows 'key': in the header's dictionary, up to the end.
std::string_view after_key(const Npy& file, std::string_view header, std::string_view key) {
  const std::string quoted = "'" + std::string(key) + "':";
  const size_t at = header.find(quoted);
  if (at == std::string_view::npos)
    file.refuse("its header has no " + std::string(key));
  std::string_view rest = header.substr(at + quoted.size());
  while (rest.starts_with(' '))
    rest.remove_prefix(1);
  return rest;
}

/// Returns N of "(N,)".
size_t length_of(const Npy& file, std::string_view shape) {
  size_t i = 1;
  size_t count = 0;
  for (; i < shape.size() && shape[i] >= '0' && shape[i] <= '9'; ++i) {
    if (count > file.bytes.size())
      break;
    count = count * 10 + static_cast<size_t>(shape[i] - '0');
  }
  if (!shape.starts_with('(') || i == 1 || !shape.substr(i).starts_with(",)"))
    file.refuse("its shape is not (n,): " + std::string(shape.substr(0, shape.find(')') + 1)));
  return count;
}

template <class T>
std::vector<int64_t> values_of(const Npy& file, size_t offset, size_t count) {
  if (count > (file.bytes.size() - offset) / sizeof(T))
    file.refuse("it is cut short");
  std::vector<int64_t> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = static_cast<int64_t>(number_at<T>(file.bytes, offset + i * sizeof(T)));
  return values;
}

}  // namespace

std::vector<int64_t> read_npy_integers(const std::filesystem::path& path) {
  const Npy file{path.string(), read_file(path)};
  if (!file.bytes.starts_with("\x93NUMPY") || file.bytes.size() < 12)
    file.refuse("it is not a .npy file");
  const bool long_header = file.bytes[6] > 1;
  const size_t header_at = long_header ? 12 : 10;
  const size_t header_size =
      long_header ? number_at<uint32_t>(file.bytes, 8) : number_at<uint16_t>(file.bytes, 8);
  if (header_size > file.bytes.size() - header_at)
    file.refuse("it is cut short");
  const std::string_view header = std::string_view(file.bytes).substr(header_at, header_size);
  const size_t count = length_of(file, after_key(file, header, "shape"));
  const std::string_view type = after_key(file, header, "descr");
  const size_t data = header_at + header_size;
  if (type.starts_with("'|u1'"))
    return values_of<uint8_t>(file, data, count);
  if (type.starts_with("'<u2'"))
    return values_of<uint16_t>(file, data, count);
  if (type.starts_with("'<i2'"))
    return values_of<int16_t>(file, data, count);
  if (type.starts_with("'<u4'"))
    return values_of<uint32_t>(file, data, count);
  if (type.starts_with("'<i4'"))
    return values_of<int32_t>(file, data, count);
  if (type.starts_with("'<i8'"))
    return values_of<int64_t>(file, data, count);
  file.refuse("its type is " + std::string(type.substr(0, type.find(','))));
}

}  // namespace parity::reference
