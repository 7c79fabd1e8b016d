// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hdf5.h>

#include "harness/tensor/shape.hpp"
#include "harness/trace/hdf5/handle.hpp"

namespace parity {
class SourceFile;
}

/// A small layer over HDF5's C API: the few ways in which our files are made. Files of equal content are
/// equal byte for byte: fixed library bounds, no times in objects, each group made explicitly.
namespace parity::hdf5 {

// --- files -----------------------------------------------------------------------------------------

enum class Access {
  create,
  create_small,  ///< without the room that tensors need to lie at cache lines: for what nobody maps
  append,
};

/// Opens a file for writing, or makes it. It changes by flushes only, each all or nothing
/// (atomic_driver.hpp).
/// \throws UserError naming the file and HDF5's reason; a link at its place is not followed
Handle open_file(const std::filesystem::path& path, Access access);

/// Opens what `source` holds for reading. \param path  for messages
Handle open_source(const std::filesystem::path& path, const std::shared_ptr<const SourceFile>& source);

/// Flushes and closes. \throws UserError if the disk is full
void close_file(Handle& file, const std::filesystem::path& path);

// --- groups and links ------------------------------------------------------------------------------

Handle create_group(hid_t parent, const std::string& name);
Handle open_group(hid_t parent, const std::string& name);
Handle open_or_create_group(hid_t parent, const std::string& name);
bool exists(hid_t parent, const std::string& name);
/// Names of a group's members in byte order.
std::vector<std::string> member_names(hid_t group);
/// "/tensors/1/grad"; for messages.
std::string path_of(hid_t object);

// --- types -----------------------------------------------------------------------------------------

Handle fixed_string_type(size_t bytes);

// --- attributes ------------------------------------------------------------------------------------

/// Replace the attribute if it is there.
void write_attribute(hid_t object, const std::string& name, std::string_view value);
void write_attribute(hid_t object, const std::string& name, int64_t value);
void write_attribute(hid_t object, const std::string& name, std::span<const int64_t> values);
/// If it is there.
void remove_attribute(hid_t object, const std::string& name);
/// Empty if there is no such attribute; fixed and variable-length strings. \throws UserError for another type
std::optional<std::string> read_string_attribute(hid_t object, const std::string& name);
std::optional<std::vector<int64_t>> read_integers_attribute(hid_t object, const std::string& name);
std::optional<int64_t> read_integer_attribute(hid_t object, const std::string& name);

// --- datasets --------------------------------------------------------------------------------------

/// A whole dataset, contiguous and uncompressed.
void write_contiguous(hid_t parent, const std::string& name, hid_t type, const Shape& shape,
                      const void* data);

/// A dataset that grows by rows: [0, columns...] now, chunked, uncompressed.
Handle create_rows(hid_t parent, const std::string& name, hid_t type, const Shape& columns,
                   int64_t chunk_rows);
/// \param data  [count, columns...] of the memory type `type`
void append_rows(hid_t dataset, hid_t type, int64_t count, const void* data);

Shape shape_of(hid_t dataset);
/// Every element, converted to the memory type. \param out  has room for all
void read_all(hid_t dataset, hid_t memory_type, void* out);
/// Numbers widened to int64 or float64. \throws UserError if the dataset holds something else
std::vector<int64_t> read_integers(hid_t dataset);
std::vector<double> read_floats(hid_t dataset);
/// Fixed or variable-length strings.
std::vector<std::string> read_strings(hid_t dataset);

}  // namespace parity::hdf5
