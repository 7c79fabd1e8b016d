// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/hdf5/hdf5.hpp"

#include <algorithm>
#include <cstring>

#include "harness/trace/hdf5/atomic_driver.hpp"
#include "harness/trace/hdf5/reading_driver.hpp"

namespace parity::hdf5 {
namespace {

Handle property_list(hid_t kind) {
  return {H5Pcreate(kind), "cannot make an HDF5 property list"};
}

Handle file_access(Access kind) {
  Handle access = property_list(H5P_FILE_ACCESS);
  check(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V110), "cannot set HDF5's version bounds");
  // Large datasets start at cache lines, so that mapped tensors are aligned for every dtype.
  if (kind != Access::create_small)
    check(H5Pset_alignment(access, 64, 64), "cannot set HDF5's alignment");
  return access;
}

}  // namespace

Handle open_file(const std::filesystem::path& path, Access access) {
  const Handle list = file_access(access);
  const std::string name = path.string();
  set_atomic_driver(list);
  if (access == Access::append)
    return {H5Fopen(name.c_str(), H5F_ACC_RDWR, list), "cannot open " + name + " to append to it"};
  const Handle creation = property_list(H5P_FILE_CREATE);
  check(H5Pset_obj_track_times(creation, false), "cannot switch object times off");
  return {H5Fcreate(name.c_str(), H5F_ACC_TRUNC, creation, list), "cannot create " + name};
}

Handle open_source(const std::filesystem::path& path,
                   const std::shared_ptr<const trace::SourceFile>& source) {
  const Handle list = file_access(Access::append);
  set_reading_driver(list, source);
  const std::string name = path.string();
  return {H5Fopen(name.c_str(), H5F_ACC_RDONLY, list), "cannot open " + name + " as HDF5"};
}

void close_file(Handle& file, const std::filesystem::path& path) {
  check(H5Fflush(file, H5F_SCOPE_GLOBAL), "cannot write " + path.string());
  file.reset();
}

Handle create_group(hid_t parent, const std::string& name) {
  const Handle creation = property_list(H5P_GROUP_CREATE);
  check(H5Pset_obj_track_times(creation, false), "cannot switch object times off");
  return {H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, creation, H5P_DEFAULT),
          "cannot create group " + name};
}

Handle open_group(hid_t parent, const std::string& name) {
  return {H5Gopen2(parent, name.c_str(), H5P_DEFAULT), "cannot open group " + name};
}

Handle open_or_create_group(hid_t parent, const std::string& name) {
  return exists(parent, name) ? open_group(parent, name) : create_group(parent, name);
}

bool exists(hid_t parent, const std::string& name) {
  const htri_t found = H5Lexists(parent, name.c_str(), H5P_DEFAULT);
  check(found, "cannot look for " + name);
  return found > 0;
}

std::vector<std::string> member_names(hid_t group) {
  std::vector<std::string> names;
  const auto collect = [](hid_t, const char* name, const H5L_info_t*, void* out) -> herr_t {
    static_cast<std::vector<std::string>*>(out)->emplace_back(name);
    return 0;
  };
  check(H5Literate(group, H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, collect, &names),
        "cannot list " + path_of(group));
  std::sort(names.begin(), names.end());
  return names;
}

std::string path_of(hid_t object) {
  const ssize_t length = H5Iget_name(object, nullptr, 0);
  if (length <= 0)
    return "?";
  std::string name(static_cast<size_t>(length), '\0');
  H5Iget_name(object, name.data(), name.size() + 1);
  return name;
}

Handle fixed_string_type(size_t bytes) {
  Handle type(H5Tcopy(H5T_C_S1), "cannot make a string type");
  check(H5Tset_size(type, std::max<size_t>(bytes, 1)), "cannot size a string type");
  check(H5Tset_strpad(type, H5T_STR_NULLPAD), "cannot pad a string type");
  check(H5Tset_cset(type, H5T_CSET_UTF8), "cannot set a string type to UTF-8");
  return type;
}

void write_contiguous(hid_t parent, const std::string& name, hid_t type, const Shape& shape,
                      const void* data) {
  const std::vector<hsize_t> dims(shape.begin(), shape.end());
  const Handle space(shape.empty() ? H5Screate(H5S_SCALAR)
                                   : H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr),
                     "cannot make a dataspace of shape " + to_string(shape) + " for " + name);
  const Handle creation = property_list(H5P_DATASET_CREATE);
  check(H5Pset_obj_track_times(creation, false), "cannot switch object times off");
  check(H5Pset_layout(creation, H5D_CONTIGUOUS), "cannot set a contiguous layout");
  check(H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER), "cannot switch filling off");
  const Handle dataset(H5Dcreate2(parent, name.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT),
                       "cannot create dataset " + name);
  if (element_count(shape) > 0)
    check(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), "cannot write dataset " + name);
}

Handle create_rows(hid_t parent, const std::string& name, hid_t type, const Shape& columns,
                   int64_t chunk_rows) {
  std::vector<hsize_t> dims = {0}, most = {H5S_UNLIMITED}, chunk = {static_cast<hsize_t>(chunk_rows)};
  for (const int64_t size : columns)
    for (auto* list : {&dims, &most, &chunk})
      list->push_back(static_cast<hsize_t>(size));
  const Handle space(H5Screate_simple(static_cast<int>(dims.size()), dims.data(), most.data()),
                     "cannot make a dataspace for " + name);
  const Handle creation = property_list(H5P_DATASET_CREATE);
  check(H5Pset_obj_track_times(creation, false), "cannot switch object times off");
  check(H5Pset_chunk(creation, static_cast<int>(chunk.size()), chunk.data()), "cannot chunk " + name);
  return {H5Dcreate2(parent, name.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT),
          "cannot create dataset " + name};
}

void append_rows(hid_t dataset, hid_t type, int64_t count, const void* data) {
  const std::string doing = "cannot append to " + path_of(dataset);
  const Shape shape = shape_of(dataset);
  std::vector<hsize_t> dims(shape.begin(), shape.end()), start(shape.size(), 0);
  start[0] = dims[0];
  std::vector<hsize_t> added = dims;
  added[0] = static_cast<hsize_t>(count);
  dims[0] += added[0];
  check(H5Dset_extent(dataset, dims.data()), doing);
  const Handle space(H5Dget_space(dataset), doing);
  const Handle memory(H5Screate_simple(static_cast<int>(added.size()), added.data(), nullptr), doing);
  check(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, added.data(), nullptr), doing);
  check(H5Dwrite(dataset, type, memory, space, H5P_DEFAULT, data), doing);
}

}  // namespace parity::hdf5
