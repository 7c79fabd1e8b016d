// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/trace/hdf5/path_name.hpp"
#include "harness/trace/read/sketch_table.hpp"

namespace parity::trace {
namespace {

using hdf5::Handle;

/// The columns of one sketches group, each checked against the number of rows.
class Columns {
 public:
  /// \param last_step  last step to read; later rows are ignored
  Columns(const InputFile& file, hid_t group, std::optional<int64_t> last_step)
      : file_(file), group_(group), exact_(!last_step) {
    steps = hdf5::read_integers(dataset("step"));
    rows_ = steps.size();
    if (last_step)
      rows_ = static_cast<size_t>(std::upper_bound(steps.begin(), steps.end(), *last_step) - steps.begin());
    steps.resize(rows_);
  }

  std::vector<int64_t> steps;
  size_t rows() const { return rows_; }

  Handle dataset(const std::string& name) const { return file_.dataset(group_, name); }

  std::vector<int64_t> integers(const std::string& name, size_t width = 1) const {
    return cut(name, hdf5::read_integers(dataset(name)), width);
  }
  std::vector<double> floats(const std::string& name, size_t width = 1) const {
    return cut(name, hdf5::read_floats(dataset(name)), width);
  }
  std::vector<std::string> strings(const std::string& name) const {
    return cut(name, hdf5::read_strings(dataset(name)), 1);
  }
  std::vector<uint64_t> digests() const {
    const Handle column = dataset("digest");
    const hdf5::Handle type(H5Dget_type(column), "cannot read the sketches' digest");
    if (H5Tget_class(type) != H5T_INTEGER || H5Tget_size(type) != 8 || H5Tget_sign(type) != H5T_SGN_NONE)
      refuse(
          "column digest does not have type uint64");  // HDF5 would clamp other values, and they would agree
    std::vector<uint64_t> values(static_cast<size_t>(element_count(hdf5::shape_of(column))));
    if (!values.empty())
      hdf5::read_all(column, H5T_NATIVE_UINT64, values.data());
    return cut("digest", std::move(values), 2);
  }

  [[noreturn]] void refuse(const std::string& why) const { file_.refuse("in its sketches, " + why); }

 private:
  template <class T>
  std::vector<T> cut(const std::string& name, std::vector<T> values, size_t width) const {
    if (values.size() < rows_ * width || (exact_ && values.size() != rows_ * width))
      refuse(fmt::format("column {} has {} values, expected {}", name, values.size(), rows_ * width));
    values.resize(rows_ * width);
    return values;
  }

  const InputFile& file_;
  hid_t group_;
  bool exact_;
  size_t rows_ = 0;
};

/// Returns the sizes in a row of the shape column, which -1 fills up.
Shape shape_of_row(const Columns& columns, const int64_t* sizes) {
  const int64_t* const end = sizes + most_dimensions;
  const int64_t* const rest = std::find(sizes, end, -1);
  Shape shape(sizes, rest);
  if (std::any_of(rest, end, [](int64_t size) { return size != -1; }))
    columns.refuse("shape " + to_string(Shape(sizes, end)) + " is impossible");
  int64_t count = 1;
  for (const int64_t size : shape)
    if (size < 0 || __builtin_mul_overflow(count, size, &count))
      columns.refuse("shape " + to_string(shape) + " is impossible");
  return shape;
}

/// Returns the number of block sums in a row.
size_t sketch_width(const Columns& columns) {
  const Shape shape = hdf5::shape_of(columns.dataset("values"));
  if (shape.size() != 2)
    columns.refuse("column values has shape " + to_string(shape));
  if (shape[1] == 0)
    columns.refuse("column values has 0 block sums a row, expected 1 or more");
  return static_cast<size_t>(shape[1]);
}

}  // namespace

std::vector<SketchRow> read_sketches(const InputFile& file, hid_t group, std::optional<int64_t> last_step) {
  const Columns columns(file, group, last_step);
  const size_t width = sketch_width(columns);
  const auto phases = columns.strings("phase");
  const auto names = columns.strings("name");
  const auto dtypes = columns.strings("dtype");
  const auto orders = columns.integers("order");
  const auto shapes = columns.integers("shape", most_dimensions);
  const auto nans = columns.integers("nan_count");
  const auto infs = columns.integers("inf_count");
  const auto norms = columns.floats("norm");
  const auto most = columns.floats("max_abs");
  const auto digests = columns.digests();
  const auto values = columns.floats("values", width);
  std::vector<SketchRow> rows(columns.rows());
  for (size_t i = 0; i < rows.size(); ++i) {
    const double* first = values.data() + i * width;
    rows[i] = {.key = {columns.steps[i], parse_enum<Phase>(phases[i]), decode_name(names[i])},
               .order = orders[i],
               .dtype = parse_enum<DType>(dtypes[i]),
               .shape = shape_of_row(columns, shapes.data() + i * most_dimensions),
               .nan_count = nans[i],
               .inf_count = infs[i],
               .norm = norms[i],
               .max_abs = most[i],
               .digest = {digests[2 * i], digests[2 * i + 1]},
               .values = {first, first + width}};
    if (columns.steps[i] < 0 || nans[i] < 0 || infs[i] < 0 || !(norms[i] >= 0) || !(most[i] >= 0))
      columns.refuse(fmt::format("row {} ({}) has a negative or NaN size", i, names[i]));
  }
  return rows;
}

std::vector<int64_t> read_sketch_layouts(const InputFile& file, hid_t group,
                                         std::optional<int64_t> last_step) {
  return Columns(file, group, last_step).integers("layout");
}

}  // namespace parity::trace
