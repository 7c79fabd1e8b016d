// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tensor_view.hpp"

namespace parity::api {

/// Number K of block sums in a sketch.
inline constexpr int64_t sketch_size = 64;

/// Returns the sketch of a tensor, or of a contiguous part of one: K signed sums over blocks of elements.
/// NaN and infinities count as 0. Sketches of contiguous parts add up, up to rounding.
/// \param view         the elements
/// \param first_index  row-major index of the first element in the whole tensor
/// \param whole_count  elements of the whole tensor; -1: the view is all of it
/// \return [K] float64
std::vector<double> sketch_of(const TensorView& view, int64_t first_index = 0, int64_t whole_count = -1);

/// Returns the estimate of ||x - r||_2 from the sketches of two tensors of one shape.
/// \throws Error if their lengths differ
double sketch_distance(const std::vector<double>& x, const std::vector<double>& r);

/// Counts and sizes of a tensor's elements.
struct Statistics {
  int64_t nan_count = 0;  ///< NaN elements
  int64_t inf_count = 0;  ///< infinite elements
  double norm = 0;        ///< L2 norm of the finite elements
  double max_abs = 0;     ///< largest magnitude of the finite elements
};

/// Returns the statistics of a tensor. The bits of the result do not depend on machine and threads.
Statistics statistics_of(const TensorView& view);

}  // namespace parity::api
