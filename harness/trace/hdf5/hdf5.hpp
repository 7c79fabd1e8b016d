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

namespace parity::trace {
class SourceFile;
}

/// A thin layer over HDF5's C API with the operations that traces need. Files of equal content are equal byte
/// for byte: library bounds are fixed, objects carry no times, and each group is created explicitly.
namespace parity::hdf5 {

// --- files -----------------------------------------------------------------------------------------

enum class Access {
  create,
  /// Creates a file that is never mapped, without the padding that aligns tensors to cache lines.
  create_small,
  append,
};

/// Opens a file for writing, or creates it. The file changes only at flushes, each all or nothing
/// (atomic_driver.hpp).
/// \throws UserError naming the file and HDF5's reason; a symbolic link at `path` is not followed
Handle open_file(const std::filesystem::path& path, Access access);

/// Opens the bytes of `source` for reading. \param path  for messages
Handle open_source(const std::filesystem::path& path, const std::shared_ptr<const trace::SourceFile>& source);

/// Flushes and closes a file. \throws UserError if the disk is full
void close_file(Handle& file, const std::filesystem::path& path);

// --- groups and links ------------------------------------------------------------------------------

Handle create_group(hid_t parent, const std::string& name);
Handle open_group(hid_t parent, const std::string& name);
Handle open_or_create_group(hid_t parent, const std::string& name);
bool exists(hid_t parent, const std::string& name);
/// Returns the names of a group's members in byte order.
std::vector<std::string> member_names(hid_t group);
/// Returns the path of an object, for messages: "/tensors/1/grad".
std::string path_of(hid_t object);

// --- types -----------------------------------------------------------------------------------------

/// Returns the type of a fixed-size string of `bytes` bytes.
Handle fixed_string_type(size_t bytes);

// --- attributes ------------------------------------------------------------------------------------

/// Write an attribute, replacing an existing one.
void write_attribute(hid_t object, const std::string& name, std::string_view value);
void write_attribute(hid_t object, const std::string& name, int64_t value);
void write_attribute(hid_t object, const std::string& name, std::span<const int64_t> values);
/// Removes an attribute, if there is one.
void remove_attribute(hid_t object, const std::string& name);
/// Returns a string attribute (fixed or variable-length), or nothing if there is none. \throws UserError for
/// another type
std::optional<std::string> read_string_attribute(hid_t object, const std::string& name);
std::optional<std::vector<int64_t>> read_integers_attribute(hid_t object, const std::string& name);
std::optional<int64_t> read_integer_attribute(hid_t object, const std::string& name);

// --- datasets --------------------------------------------------------------------------------------

/// Writes a whole dataset, contiguous and uncompressed.
void write_contiguous(hid_t parent, const std::string& name, hid_t type, const Shape& shape,
                      const void* data);

/// Creates a dataset that grows by rows: [0, columns...] at first, chunked, uncompressed.
Handle create_rows(hid_t parent, const std::string& name, hid_t type, const Shape& columns,
                   int64_t chunk_rows);
/// Appends rows.
/// \param data  [count, columns...] of the memory type `type`
void append_rows(hid_t dataset, hid_t type, int64_t count, const void* data);

Shape shape_of(hid_t dataset);
/// Reads every element, converted to the memory type. \param out  has room for all elements
void read_all(hid_t dataset, hid_t memory_type, void* out);
/// Return the numbers of a dataset, widened to int64 or float64. \throws UserError if it holds another type
std::vector<int64_t> read_integers(hid_t dataset);
std::vector<double> read_floats(hid_t dataset);
/// Returns the strings of a dataset, fixed or variable-length.
std::vector<std::string> read_strings(hid_t dataset);

}  // namespace parity::hdf5
