// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/tensor/dtype.hpp"
#include "harness/tensor/shape.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity::operators {

/// The elements of one tensor at one point, widened to float64.
struct Values {
  DType dtype = DType::float32;  ///< as recorded
  Shape shape = {};
  std::vector<double> value = {};
  /// Of an exact result: what `value` lacks; empty otherwise.
  std::vector<double> low = {};

  size_t size() const { return value.size(); }
  /// Returns the elements of a row: the last dimension.
  size_t row() const { return shape.empty() || shape.back() == 0 ? 1 : static_cast<size_t>(shape.back()); }
};

/// Returns the values of a tensor; nothing if the trace has none.
/// \throws UserError if the trace is damaged
std::optional<Values> values_of(const trace::Trace& trace, const trace::TensorKey& key);

/// Returns the coordinates of an element.
std::vector<int64_t> coordinates(const Shape& shape, size_t element);

/// Returns "[3, 5]"; "" for a scalar.
std::string index_text(const Shape& shape, size_t element);

/// Returns ||a - b||_2. NaN if an element of either is NaN, infinite if one is.
/// \param b  of the same size; its `low` counts
double distance(const Values& a, const Values& b);
/// Returns ||a||_2.
double norm(const Values& a);

}  // namespace parity::operators
