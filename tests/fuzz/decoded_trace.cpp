// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/decoded_trace.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "harness/trace/format/file_names.hpp"
#include "tests/fuzz/hdf5_objects.hpp"

namespace parity::fuzz {
namespace fs = std::filesystem;
namespace {

using hdf5::Handle;

/// Returns the bytes that have a meaning: a string ends at its first NUL, whatever is stored after it.
std::string meaning_of(StoredBytes bytes) {
  if (H5Tget_class(bytes.type) != H5T_STRING || H5Tis_variable_str(bytes.type) > 0)
    return std::move(bytes.data);
  const size_t size = H5Tget_size(bytes.type);
  for (size_t at = 0; at < bytes.data.size(); at += size) {
    char* const text = bytes.data.data() + at;
    const size_t length = ::strnlen(text, size);
    std::fill(text + length, text + size, '\0');
  }
  return std::move(bytes.data);
}

/// Shape, type and values.
std::string dataset_text(hid_t dataset) {
  StoredBytes bytes = read_dataset(dataset);
  return to_string(hdf5::shape_of(dataset)) + ' ' + std::to_string(H5Tget_class(bytes.type)) + ':' +
         std::to_string(H5Tget_size(bytes.type)) + ' ' + meaning_of(std::move(bytes));
}

std::string attribute_text(hid_t object, const char* name) {
  if (H5Aexists(object, name) <= 0)
    return "";
  const Handle attribute(H5Aopen(object, name, H5P_DEFAULT), "cannot open");
  const StoredBytes bytes = read_attribute(attribute);
  return std::string(bytes.data.c_str(), H5Tget_class(bytes.type) == H5T_STRING
                                             ? std::strlen(bytes.data.c_str())
                                             : bytes.data.size());
}

constexpr std::array judged_columns = {"step",      "phase",     "name",   "dtype", "shape",
                                       "nan_count", "inf_count", "digest", "layout"};

/// Returns whether a comparison judges the content of a dataset. In a sketch row this is its key and the
/// digest; its sums may be added in any order. Columns that the format does not know do not count.
bool is_judged(const std::string& name) {
  for (const std::string table : {"sketches/", "part_sketches/"})
    if (name.starts_with(table))
      return std::ranges::any_of(judged_columns, [&](const char* column) { return name == table + column; });
  return name == "steps" || name.starts_with("channels/") || name.starts_with("tensors/");
}

void decode_file(const fs::path& path, const std::string& prefix,
                 std::map<std::string, std::string>& decoded) {
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), "cannot open");
  for (const char* name : {"status", "rank", "ranks"})
    decoded[prefix + name] = attribute_text(file, name);
  for (const auto& [name, type] : objects_of(file)) {
    if (type != H5O_TYPE_DATASET || !is_judged(name))
      continue;
    const Handle dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), "cannot open");
    const std::string kind = attribute_text(dataset, "kind");
    if (kind != "timing")
      decoded[prefix + name] = kind + ' ' + attribute_text(dataset, "dtype") + ' ' + dataset_text(dataset);
  }
}

}  // namespace

std::map<std::string, std::string> decode_trace(const fs::path& folder) {
  const auto lock = hdf5::lock();
  std::map<std::string, std::string> decoded;
  decode_file(folder / "trace.h5", "", decoded);
  if (const fs::path other = trace::rank_path(folder / "trace.h5", 1); fs::exists(other))
    decode_file(other, "rank 1 ", decoded);
  return decoded;
}

}  // namespace parity::fuzz
