// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/hdf5_objects.hpp"

#include <cstring>

namespace parity::fuzz {
namespace {

using hdf5::Handle;

herr_t add_path(hid_t, const char* name, const H5O_info_t* info, void* out) {
  if (std::strcmp(name, ".") != 0)
    static_cast<std::vector<std::pair<std::string, H5O_type_t>>*>(out)->emplace_back(name, info->type);
  return 0;
}

herr_t add_name(hid_t, const char* name, const H5A_info_t*, void* out) {
  static_cast<std::vector<std::string>*>(out)->emplace_back(name);
  return 0;
}

size_t points_of(hid_t space) {
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  return count > 0 ? static_cast<size_t>(count) : 0;
}

}  // namespace

std::vector<std::pair<std::string, H5O_type_t>> objects_of(hid_t file) {
  std::vector<std::pair<std::string, H5O_type_t>> found;
  hdf5::check(H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, add_path, &found, H5O_INFO_BASIC), "cannot visit");
  return found;
}

std::vector<std::string> attributes_of(hid_t object) {
  std::vector<std::string> names;
  hdf5::check(H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, nullptr, add_name, &names), "cannot visit");
  return names;
}

StoredBytes read_dataset(hid_t dataset) {
  StoredBytes bytes{Handle(H5Dget_type(dataset), "cannot read the type"), {}};
  const Handle space(H5Dget_space(dataset), "cannot read the shape");
  bytes.data.resize(points_of(space) * H5Tget_size(bytes.type));
  if (!bytes.data.empty())
    hdf5::check(H5Dread(dataset, bytes.type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data.data()),
                "cannot read");
  return bytes;
}

StoredBytes read_attribute(hid_t attribute) {
  StoredBytes bytes{Handle(H5Aget_type(attribute), "cannot read the type"), {}};
  const Handle space(H5Aget_space(attribute), "cannot read the shape");
  bytes.data.resize(points_of(space) * H5Tget_size(bytes.type));
  if (!bytes.data.empty())
    hdf5::check(H5Aread(attribute, bytes.type, bytes.data.data()), "cannot read");
  return bytes;
}

}  // namespace parity::fuzz
