// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/read/sketch_table.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/trace/hdf5/path_name.hpp"

namespace parity::trace {
namespace {

using hdf5::Handle;

constexpr int64_t rows_a_chunk = 64;
constexpr size_t label_bytes = 16;  // phase and dtype names
constexpr size_t most_name_bytes = 256;
using Rows = std::span<const SketchRow>;

/// The group of the columns and their layout.
struct Table {
  hid_t group;
  SketchLayout layout;
};

void put(const Table& table, const std::string& name, hid_t type, const Shape& columns, size_t rows,
         const void* data) {
  const hid_t group = table.group;
  if (table.layout == SketchLayout::finished) {
    Shape shape = {static_cast<int64_t>(rows)};
    shape.insert(shape.end(), columns.begin(), columns.end());
    hdf5::write_contiguous(group, name, type, shape, data);
    return;
  }
  const Handle dataset = hdf5::exists(group, name)
                             ? Handle(H5Dopen2(group, name.c_str(), H5P_DEFAULT), "cannot open " + name)
                             : hdf5::create_rows(group, name, type, columns, rows_a_chunk);
  if (Shape shape = hdf5::shape_of(dataset); Shape(shape.begin() + 1, shape.end()) != columns)
    throw UserError(fmt::format(
        "cannot append sketches (column {} of the trace has rows of another size); start a new trace", name));
  hdf5::append_rows(dataset, type, static_cast<int64_t>(rows), data);
}

template <class T, class Get>
void put_numbers(const Table& table, const std::string& name, hid_t type, int64_t width, Rows rows,
                 const Get& get) {
  std::vector<T> values;
  values.reserve(rows.size() * static_cast<size_t>(width));
  for (const SketchRow& row : rows)
    get(row, values);
  put(table, name, type, width == 1 ? Shape{} : Shape{width}, rows.size(), values.data());
}

/// Writes strings of fixed size, padded with zeros. Variable-length strings are stored in a heap without
/// checksums, where a damaged byte makes HDF5 itself crash.
template <class Get>
void put_strings(const Table& table, const std::string& name, size_t bytes, Rows rows, const Get& get) {
  std::string text(rows.size() * bytes, '\0');
  for (size_t i = 0; i < rows.size(); ++i) {
    const std::string value(get(rows[i]));
    if (value.size() > bytes)
      throw UserError(
          fmt::format("cannot record {} (its {} has {} bytes, the limit is {}); give it a shorter one", value,
                      name, value.size(), bytes));
    value.copy(text.data() + i * bytes, bytes);
  }
  put(table, name, hdf5::fixed_string_type(bytes), {}, rows.size(), text.data());
}

/// Returns the width of the name column. A finished table needs no room for longer names.
size_t width_of_names(Rows rows, SketchLayout layout) {
  size_t longest = 1;
  for (const SketchRow& row : rows)
    longest = std::max(longest, encode_name(row.key.name).size());
  return layout == SketchLayout::finished ? std::min(longest, most_name_bytes) : most_name_bytes;
}

}  // namespace

void write_sketches(hid_t group, std::span<const SketchRow> rows, SketchLayout layout) {
  if (rows.empty())
    return;
  const Table table{group, layout};
  const auto integers = [&](const std::string& name, auto get) {
    put_numbers<int64_t>(table, name, H5T_STD_I64LE, 1, rows,
                         [&](const SketchRow& row, auto& out) { out.push_back(get(row)); });
  };
  const auto floats = [&](const std::string& name, auto get) {
    put_numbers<double>(table, name, H5T_IEEE_F64LE, 1, rows,
                        [&](const SketchRow& row, auto& out) { out.push_back(get(row)); });
  };
  integers("step", [](const SketchRow& row) { return row.key.step; });
  put_strings(table, "phase", label_bytes, rows, [](const SketchRow& row) { return name_of(row.key.phase); });
  integers("order", [](const SketchRow& row) { return row.order; });
  put_strings(table, "name", width_of_names(rows, layout), rows,
              [](const SketchRow& row) { return encode_name(row.key.name); });
  put_strings(table, "dtype", label_bytes, rows, [](const SketchRow& row) { return name_of(row.dtype); });
  put_numbers<int64_t>(
      table, "shape", H5T_STD_I64LE, most_dimensions, rows, [](const SketchRow& row, auto& out) {
        if (row.shape.size() > most_dimensions)
          throw UserError(fmt::format(
              "cannot record {} (it has {} dimensions, the limit is {}); record it with a flatter shape",
              row.key.name, row.shape.size(), most_dimensions));
        out.insert(out.end(), row.shape.begin(), row.shape.end());
        out.insert(out.end(), most_dimensions - row.shape.size(), -1);
      });
  integers("nan_count", [](const SketchRow& row) { return row.nan_count; });
  integers("inf_count", [](const SketchRow& row) { return row.inf_count; });
  floats("norm", [](const SketchRow& row) { return row.norm; });
  floats("max_abs", [](const SketchRow& row) { return row.max_abs; });
  put_numbers<uint64_t>(table, "digest", H5T_STD_U64LE, 2, rows, [](const SketchRow& row, auto& out) {
    out.insert(out.end(), {row.digest.low, row.digest.high});
  });
  const size_t width = rows.front().values.size();
  put_numbers<double>(table, "values", H5T_IEEE_F64LE, static_cast<int64_t>(width), rows,
                      [&](const SketchRow& row, auto& out) {
                        require(row.values.size() == width, "sketches of different sizes");
                        out.insert(out.end(), row.values.begin(), row.values.end());
                      });
}

void write_sketch_layouts(hid_t group, std::span<const int64_t> layouts) {
  put({group, SketchLayout::growing}, "layout", H5T_STD_I64LE, {}, layouts.size(), layouts.data());
}

}  // namespace parity::trace
