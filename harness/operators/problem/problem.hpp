// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/enum_names.hpp"
#include "harness/base/json/json.hpp"
#include "harness/tensor/dtype.hpp"
#include "harness/tensor/shape.hpp"

namespace parity::operators {

/// How the values of an input are drawn. values.hpp has the formulas.
enum class ValueKind { normal, uniform, lognormal, heavy_tailed, denormal, cancelling, one_hot, integers };

constexpr auto enum_names(ValueKind) {
  return named<ValueKind::integers>("kind of values", {"normal", "uniform", "lognormal", "heavy_tailed",
                                                       "denormal", "cancelling", "one_hot", "integers"});
}

/// A size: a number, or a symbol that the sweep gives a value.
struct Size {
  int64_t number = 0;
  std::string symbol = {};  ///< "": the number counts
};

/// One point of a sweep: a value for each symbol, and the dtype of the inputs.
struct Point {
  std::map<std::string, int64_t> sizes;
  DType dtype = DType::float32;

  /// Returns the value of a size. \throws UserError if its symbol has none
  int64_t value(const Size& size) const;
  /// Returns "b = 7, s = 33, float32".
  std::string text() const;
};

/// One tensor of an input.
struct TensorSpec {
  std::vector<Size> shape = {};
  ValueKind values = ValueKind::normal;
  double scale = 1;  ///< factor on the drawn values
  double shift = 0;  ///< added after the factor
  bool grad = false;
  std::optional<DType> dtype = {};      ///< set if it is not that of the point
  Size low = {-8}, high = {9};          ///< of integers: low <= value < high
  std::optional<int64_t> ignored = {};  ///< of integers: the value of a quarter of the elements
  /// A trace, by absolute path, and the name of the tensor in it whose values are taken. "": values are
  /// drawn.
  std::string file = {}, from = {};

  Shape shape_at(const Point& point) const;
  DType dtype_at(const Point& point) const { return dtype.value_or(point.dtype); }
};

/// One argument of the operator: a tensor, a list of tensors, or a value that is not a tensor.
struct Input {
  std::string name;
  std::vector<TensorSpec> tensors = {};
  bool list = false;  ///< whether `tensors` is a list, even if it has one entry
  /// A number, text, boolean or list of them, if there are no tensors. A text that is a symbol of the sweep
  /// stands for its value.
  Json value = nullptr;
};

/// A computation that several functions claim to do: their common inputs at each point of a sweep.
struct Problem {
  std::vector<Input> inputs;         ///< in the order of the case file
  std::vector<std::string> outputs;  ///< names; empty: "out", or "out0", "out1", ...
  std::vector<Point> points;         ///< step s of a trace is point s - 1
  std::string batch;                 ///< symbol of the dimension whose rows are independent; "" if none
  std::string length;                ///< symbol of the dimension that padding makes longer; "" if none

  const Input* find(const std::string& name) const;
  bool has_gradients() const;
  Json to_json() const;
  /// \throws UserError for a missing or invalid member
  static Problem from_json(const Json& json);
};

/// Returns the bytes that the inputs of the largest point take in memory, with a copy in float64 and
/// gradients, and that point.
struct LargestPoint {
  double bytes = 0;
  size_t point = 0;
};
LargestPoint largest_point(const Problem& problem);

/// Returns the symbol of the dimension that a function of these inputs seems to sum over: the only one that
/// two tensors of floating-point numbers share, or the last one of the only tensor. "" if neither exists.
std::string summed_symbol(const Problem& problem);

/// Returns a value that is not a tensor, with symbols of the sweep replaced by numbers.
Json resolved_value(const Json& value, const Point& point);

/// Returns the name of output `index` of `count`.
std::string output_name(const Problem& problem, size_t index, size_t count);

}  // namespace parity::operators
