// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Attributes, and reading datasets.
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/trace/hdf5/hdf5.hpp"

namespace parity::hdf5 {
namespace {

/// Largest accepted attribute or string table; the rest of a file is bounded by its size.
constexpr hsize_t most_attribute_bytes = hsize_t{64} << 20;
constexpr hsize_t most_points = hsize_t{1} << 28;

[[noreturn]] void refuse_dataset(const std::string& what, const std::string& expected) {
  throw UserError(fmt::format("cannot read {} (expected {}); see harness/trace/FORMAT.md", what, expected));
}

/// Returns the attribute with this type and space. An existing one with the same type and space is
/// overwritten in place. A flush then changes 8 bytes of one object header, not its structure.
Handle attribute_for(hid_t object, const std::string& name, hid_t type, hid_t space) {
  if (H5Aexists(object, name.c_str()) > 0) {
    Handle old(H5Aopen(object, name.c_str(), H5P_DEFAULT), "cannot open attribute " + name);
    const Handle old_type(H5Aget_type(old), "cannot read attribute " + name);
    const Handle old_space(H5Aget_space(old), "cannot read attribute " + name);
    if (H5Tequal(old_type, type) > 0 && H5Sextent_equal(old_space, space) > 0)
      return old;
    old.reset();
    check(H5Adelete(object, name.c_str()), "cannot replace attribute " + name);
  }
  return {H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT),
          "cannot create attribute " + name};
}

/// An attribute that is open for reading.
struct Attribute {
  std::string what;  ///< "attribute NAME of PATH", for errors
  Handle handle, type, space;
};

std::optional<Attribute> open_attribute(hid_t object, const std::string& name) {
  const htri_t found = H5Aexists(object, name.c_str());
  check(found, "cannot look for attribute " + name);
  if (found == 0)
    return std::nullopt;
  Handle handle(H5Aopen(object, name.c_str(), H5P_DEFAULT), "cannot open attribute " + name);
  const std::string what = "attribute " + name + " of " + path_of(object);
  if (H5Aget_storage_size(handle) > most_attribute_bytes)
    refuse_dataset(what, fmt::format("at most {} bytes", most_attribute_bytes));
  Handle type(H5Aget_type(handle), "cannot read " + what), space(H5Aget_space(handle), "cannot read " + what);
  return Attribute{what, std::move(handle), std::move(type), std::move(space)};
}

std::string trimmed(const char* text, size_t most) {
  return {text, strnlen(text, most)};
}

/// Returns elements of a string type: fixed (padded) or variable-length.
/// \param read  reads `count` elements of the memory type into a buffer
template <class Read>
std::vector<std::string> strings(hid_t type, hid_t space, size_t count, const Read& read) {
  std::vector<std::string> result(count);
  if (count == 0)
    return result;
  if (H5Tis_variable_str(type) > 0) {
    std::vector<char*> pointers(count, nullptr);
    const Handle memory(H5Tcopy(type), "cannot copy a type");
    read(memory, pointers.data());
    for (size_t i = 0; i < count; ++i)
      result[i] = pointers[i] ? pointers[i] : "";
    H5Dvlen_reclaim(memory, space, H5P_DEFAULT, pointers.data());
  } else {
    const size_t width = H5Tget_size(type);
    if (width == 0 || count > std::numeric_limits<size_t>::max() / width)
      throw UserError(fmt::format("cannot read {} strings of {} bytes (too large)", count, width));
    std::vector<char> buffer(count * width);
    read(type, buffer.data());
    for (size_t i = 0; i < count; ++i)
      result[i] = trimmed(buffer.data() + i * width, width);
  }
  return result;
}

/// Returns integers of any width up to 64 bits. HDF5 would clamp what does not fit, and other values agree
/// then.
/// \param read  reads `count` elements of the memory type into a buffer
template <class Read>
std::vector<int64_t> integers(hid_t type, size_t count, const std::string& what, const Read& read) {
  std::vector<int64_t> values(count);
  if (count == 0)
    return values;
  if (H5Tget_size(type) > sizeof(int64_t))
    refuse_dataset(what, "integers of at most 64 bits");
  if (H5Tget_size(type) < sizeof(int64_t) || H5Tget_sign(type) != H5T_SGN_NONE) {
    read(H5T_NATIVE_INT64, values.data());
    return values;
  }
  std::vector<uint64_t> wide(count);
  read(H5T_NATIVE_UINT64, wide.data());
  for (size_t i = 0; i < count; ++i) {
    if (wide[i] > uint64_t{std::numeric_limits<int64_t>::max()})
      throw UserError(
          fmt::format("cannot read {} ({} does not fit into int64); store its bits as int64", what, wide[i]));
    values[i] = static_cast<int64_t>(wide[i]);
  }
  return values;
}

size_t points(hid_t space) {
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  check(count, "cannot read a dataspace");
  if (static_cast<hsize_t>(count) > most_points)
    throw UserError(fmt::format("cannot read a table of {} entries (the limit is {})", count, most_points));
  return static_cast<size_t>(count);
}

}  // namespace

void write_attribute(hid_t object, const std::string& name, std::string_view value) {
  const Handle type = fixed_string_type(value.size());
  const Handle space(H5Screate(H5S_SCALAR), "cannot make a dataspace");
  const Handle attribute = attribute_for(object, name, type, space);
  const std::string padded = value.empty() ? std::string(1, '\0') : std::string(value);
  check(H5Awrite(attribute, type, padded.data()), "cannot write attribute " + name);
}

void write_attribute(hid_t object, const std::string& name, int64_t value) {
  const Handle space(H5Screate(H5S_SCALAR), "cannot make a dataspace");
  const Handle attribute = attribute_for(object, name, H5T_STD_I64LE, space);
  check(H5Awrite(attribute, H5T_NATIVE_INT64, &value), "cannot write attribute " + name);
}

void write_attribute(hid_t object, const std::string& name, std::span<const int64_t> values) {
  const hsize_t count = values.size();
  const Handle space(H5Screate_simple(1, &count, nullptr), "cannot make a dataspace");
  const Handle attribute = attribute_for(object, name, H5T_STD_I64LE, space);
  if (count > 0)
    check(H5Awrite(attribute, H5T_NATIVE_INT64, values.data()), "cannot write attribute " + name);
}

void remove_attribute(hid_t object, const std::string& name) {
  if (H5Aexists(object, name.c_str()) > 0)
    check(H5Adelete(object, name.c_str()), "cannot remove attribute " + name);
}

std::optional<std::string> read_string_attribute(hid_t object, const std::string& name) {
  const auto attribute = open_attribute(object, name);
  if (!attribute)
    return std::nullopt;
  if (H5Tget_class(attribute->type) != H5T_STRING || points(attribute->space) != 1)
    refuse_dataset(attribute->what, "one string");
  const auto read = [&](hid_t memory, void* out) {
    check(H5Aread(attribute->handle, memory, out), "cannot read " + attribute->what);
  };
  return strings(attribute->type, attribute->space, 1, read).front();
}

std::optional<std::vector<int64_t>> read_integers_attribute(hid_t object, const std::string& name) {
  const auto attribute = open_attribute(object, name);
  if (!attribute)
    return std::nullopt;
  if (H5Tget_class(attribute->type) != H5T_INTEGER)
    refuse_dataset(attribute->what, "integers");
  return integers(attribute->type, points(attribute->space), attribute->what, [&](hid_t memory, void* out) {
    check(H5Aread(attribute->handle, memory, out), "cannot read " + attribute->what);
  });
}

std::optional<int64_t> read_integer_attribute(hid_t object, const std::string& name) {
  const auto values = read_integers_attribute(object, name);
  if (!values)
    return std::nullopt;
  if (values->size() != 1)
    refuse_dataset("attribute " + name + " of " + path_of(object), "one integer");
  return values->front();
}

Shape shape_of(hid_t dataset) {
  const std::string doing = "cannot read the shape of " + path_of(dataset);
  const Handle space(H5Dget_space(dataset), doing);
  const int rank = H5Sget_simple_extent_ndims(space);
  check(rank, doing);
  std::vector<hsize_t> dims(static_cast<size_t>(rank));
  check(H5Sget_simple_extent_dims(space, dims.data(), nullptr), doing);
  return {dims.begin(), dims.end()};
}

void read_all(hid_t dataset, hid_t memory_type, void* out) {
  check(H5Dread(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out), "cannot read " + path_of(dataset));
}

std::vector<int64_t> read_integers(hid_t dataset) {
  const Handle type(H5Dget_type(dataset), "cannot read " + path_of(dataset));
  if (H5Tget_class(type) != H5T_INTEGER)
    refuse_dataset(path_of(dataset), "integers");
  return integers(type, static_cast<size_t>(element_count(shape_of(dataset))), path_of(dataset),
                  [&](hid_t memory, void* out) { read_all(dataset, memory, out); });
}

std::vector<double> read_floats(hid_t dataset) {
  const Handle type(H5Dget_type(dataset), "cannot read " + path_of(dataset));
  if (H5Tget_class(type) != H5T_FLOAT || H5Tget_size(type) > sizeof(double))
    refuse_dataset(path_of(dataset), "floating-point numbers of at most 64 bits");
  std::vector<double> values(static_cast<size_t>(element_count(shape_of(dataset))));
  if (!values.empty())
    read_all(dataset, H5T_NATIVE_DOUBLE, values.data());
  return values;
}

std::vector<std::string> read_strings(hid_t dataset) {
  const Handle type(H5Dget_type(dataset), "cannot read " + path_of(dataset));
  const Handle space(H5Dget_space(dataset), "cannot read " + path_of(dataset));
  if (H5Tget_class(type) != H5T_STRING)
    refuse_dataset(path_of(dataset), "strings");
  return strings(type, space, points(space),
                 [&](hid_t memory, void* out) { read_all(dataset, memory, out); });
}

}  // namespace parity::hdf5
