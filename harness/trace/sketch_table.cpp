// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/sketch_table.hpp"

#include <algorithm>

#include "harness/base/error.hpp"
#include "harness/trace/path_name.hpp"

namespace parity {
namespace {

using hdf5::Handle;

constexpr int64_t chunk_rows = 64;
constexpr size_t label_bytes = 16;  // phase and dtype names
using Columns = std::span<const SketchRow>;

void append(hid_t group, const std::string& name, hid_t type, const Shape& columns, size_t rows,
            const void* data) {
  const Handle dataset = hdf5::exists(group, name)
                             ? Handle(H5Dopen2(group, name.c_str(), H5P_DEFAULT), "cannot open " + name)
                             : hdf5::create_rows(group, name, type, columns, chunk_rows);
  if (Shape shape = hdf5::shape_of(dataset); Shape(shape.begin() + 1, shape.end()) != columns)
    throw UserError("cannot append sketches (the trace has rows of another size in column " + name +
                    "); start a new trace");
  hdf5::append_rows(dataset, type, static_cast<int64_t>(rows), data);
}

template <class T, class Get>
void append_numbers(hid_t group, const std::string& name, hid_t type, int64_t width, Columns rows,
                    const Get& get) {
  std::vector<T> values;
  values.reserve(rows.size() * static_cast<size_t>(width));
  for (const SketchRow& row : rows)
    get(row, values);
  append(group, name, type, width == 1 ? Shape{} : Shape{width}, rows.size(), values.data());
}

template <class Get>
void append_labels(hid_t group, const std::string& name, Columns rows, const Get& get) {
  std::string text(rows.size() * label_bytes, '\0');
  for (size_t i = 0; i < rows.size(); ++i) {
    const std::string_view label = get(rows[i]);
    label.copy(text.data() + i * label_bytes, label_bytes);
  }
  append(group, name, hdf5::fixed_string_type(label_bytes), {}, rows.size(), text.data());
}

void append_names(hid_t group, Columns rows) {
  std::vector<std::string> links;
  for (const SketchRow& row : rows)
    links.push_back(encode_name(row.key.name));
  std::vector<const char*> pointers;
  for (const std::string& link : links)
    pointers.push_back(link.c_str());
  append(group, "name", hdf5::variable_string_type(), {}, rows.size(), pointers.data());
}

[[noreturn]] void refuse(const InputFile& file, const std::string& why) {
  throw UserError("cannot read the sketches of " + file.path().string() + " (" + why +
                  "); the file is damaged or was not written as harness/trace/FORMAT.md says");
}

/// A column of numbers, with its width checked.
template <class T>
std::vector<T> column(const InputFile& file, hid_t group, const std::string& name, size_t rows,
                      size_t width) {
  const Handle dataset = file.dataset(group, name);
  std::vector<T> values;
  if constexpr (std::is_same_v<T, double>)
    values = hdf5::read_floats(dataset);
  else
    values = hdf5::read_integers(dataset);
  if (values.size() != rows * width)
    refuse(file, "column " + name + " has " + std::to_string(values.size()) + " values, not " +
                     std::to_string(rows * width));
  return values;
}

std::vector<std::string> text_column(const InputFile& file, hid_t group, const std::string& name,
                                     size_t rows) {
  std::vector<std::string> values = hdf5::read_strings(file.dataset(group, name));
  if (values.size() != rows)
    refuse(file, "column " + name + " has " + std::to_string(values.size()) + " values, not " +
                     std::to_string(rows));
  return values;
}

std::vector<uint64_t> digest_column(const InputFile& file, hid_t group, size_t rows) {
  const Handle dataset = file.dataset(group, "digest");
  if (hdf5::shape_of(dataset) != Shape{static_cast<int64_t>(rows), 2})
    refuse(file, "column digest has shape " + to_string(hdf5::shape_of(dataset)));
  std::vector<uint64_t> values(rows * 2);
  hdf5::read_all(dataset, H5T_NATIVE_UINT64, values.data());
  return values;
}

/// The leading sizes of a row of the shape column; -1 fills the rest.
Shape shape_of_row(const InputFile& file, const int64_t* sizes) {
  const int64_t* end = std::find(sizes, sizes + most_dimensions, -1);
  Shape shape(sizes, end);
  int64_t count = 1;
  for (const int64_t size : shape)
    if (size < 0 || __builtin_mul_overflow(count, size, &count))
      refuse(file, "shape " + to_string(shape) + " is impossible");
  return shape;
}

}  // namespace

void append_sketches(hid_t group, std::span<const SketchRow> rows) {
  if (rows.empty())
    return;
  const auto integers = [&](const std::string& name, auto get) {
    append_numbers<int64_t>(group, name, H5T_STD_I64LE, 1, rows,
                            [&](const SketchRow& row, auto& out) { out.push_back(get(row)); });
  };
  const auto floats = [&](const std::string& name, auto get) {
    append_numbers<double>(group, name, H5T_IEEE_F64LE, 1, rows,
                           [&](const SketchRow& row, auto& out) { out.push_back(get(row)); });
  };
  integers("step", [](const SketchRow& row) { return row.key.step; });
  append_labels(group, "phase", rows, [](const SketchRow& row) { return name_of(row.key.phase); });
  integers("order", [](const SketchRow& row) { return row.order; });
  append_names(group, rows);
  append_labels(group, "dtype", rows, [](const SketchRow& row) { return name_of(row.dtype); });
  append_numbers<int64_t>(
      group, "shape", H5T_STD_I64LE, most_dimensions, rows, [](const SketchRow& row, auto& out) {
        if (row.shape.size() > most_dimensions)
          throw UserError("cannot record " + row.key.name + " (it has " + std::to_string(row.shape.size()) +
                          " dimensions, a sketch row names 8); record it under a flatter shape");
        out.insert(out.end(), row.shape.begin(), row.shape.end());
        out.insert(out.end(), most_dimensions - row.shape.size(), -1);
      });
  integers("nan_count", [](const SketchRow& row) { return row.nan_count; });
  integers("inf_count", [](const SketchRow& row) { return row.inf_count; });
  floats("norm", [](const SketchRow& row) { return row.norm; });
  floats("max_abs", [](const SketchRow& row) { return row.max_abs; });
  append_numbers<uint64_t>(group, "digest", H5T_STD_U64LE, 2, rows, [](const SketchRow& row, auto& out) {
    out.insert(out.end(), {row.digest.low, row.digest.high});
  });
  const size_t width = rows.front().values.size();
  append_numbers<double>(group, "values", H5T_IEEE_F64LE, static_cast<int64_t>(width), rows,
                         [&](const SketchRow& row, auto& out) {
                           require(row.values.size() == width, "sketches of different sizes");
                           out.insert(out.end(), row.values.begin(), row.values.end());
                         });
}

std::vector<SketchRow> read_sketches(const InputFile& file, hid_t group) {
  const std::vector<int64_t> steps = hdf5::read_integers(file.dataset(group, "step"));
  const size_t n = steps.size();
  const Shape values_shape = hdf5::shape_of(file.dataset(group, "values"));
  if (values_shape.size() != 2)
    refuse(file, "column values has shape " + to_string(values_shape));
  const auto width = static_cast<size_t>(values_shape[1]);
  const auto phases = text_column(file, group, "phase", n);
  const auto names = text_column(file, group, "name", n);
  const auto dtypes = text_column(file, group, "dtype", n);
  const auto orders = column<int64_t>(file, group, "order", n, 1);
  const auto shapes = column<int64_t>(file, group, "shape", n, most_dimensions);
  const auto nans = column<int64_t>(file, group, "nan_count", n, 1);
  const auto infs = column<int64_t>(file, group, "inf_count", n, 1);
  const auto norms = column<double>(file, group, "norm", n, 1);
  const auto most = column<double>(file, group, "max_abs", n, 1);
  const auto digests = digest_column(file, group, n);
  const auto values = column<double>(file, group, "values", n, width);
  std::vector<SketchRow> rows(n);
  for (size_t i = 0; i < n; ++i) {
    const auto* first = values.data() + i * width;
    rows[i] = {.key = {steps[i], parse_enum<Phase>(phases[i]), decode_name(names[i])},
               .order = orders[i],
               .dtype = parse_enum<DType>(dtypes[i]),
               .shape = shape_of_row(file, shapes.data() + i * most_dimensions),
               .nan_count = nans[i],
               .inf_count = infs[i],
               .norm = norms[i],
               .max_abs = most[i],
               .digest = {digests[2 * i], digests[2 * i + 1]},
               .values = {first, first + width}};
    if (steps[i] < 0 || nans[i] < 0 || infs[i] < 0 || !(norms[i] >= 0) || !(most[i] >= 0))
      refuse(file, "row " + std::to_string(i) + " (" + names[i] + ") has a negative or NaN size");
  }
  return rows;
}

}  // namespace parity
