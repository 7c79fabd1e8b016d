// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/tensor/statistics.hpp"

#include <algorithm>
#include <cmath>

#include "harness/measure/lanes/simd.hpp"
#include "harness/measure/lanes/widen.hpp"

namespace parity::measure {
namespace {

constexpr size_t block = 1024;  // elements widened at a time; fits the first-level cache

/// Adds a block that may hold NaN or infinity.
void add_with_care(const double* values, size_t count, Statistics& total) {
  double squares = 0;
  for (size_t i = 0; i < count; ++i) {
    if (std::isnan(values[i])) {
      ++total.nan_count;
    } else if (std::isinf(values[i])) {
      ++total.inf_count;
    } else {
      squares += values[i] * values[i];
      total.max_abs = std::max(total.max_abs, std::fabs(values[i]));
    }
  }
  total.norm += squares;
}

struct Gather {
  /// Returns the squared norm of the values times `scale`, and the other statistics.
  Statistics operator()(const TensorView* view, double scale) const {
    Statistics total;
    const auto* data = static_cast<const std::byte*>(view->data);
    const auto count = static_cast<size_t>(view->size());
    alignas(64) double values[block];
    for (size_t first = 0; first < count; first += block) {
      const size_t here = std::min(block, count - first);
      const size_t padded = (here + simd::lanes - 1) / simd::lanes * simd::lanes;
      widen_block(view->dtype, data + first * size_of(view->dtype), here, values);
      std::fill(values + here, values + padded, 0.0);
      if (scale != 1)
        for (size_t i = 0; i < here; ++i)
          values[i] *= scale;
      simd::Doubles squares = {}, most = {};
      for (size_t i = 0; i < padded; i += simd::lanes) {
        simd::Doubles v;
        std::memcpy(&v, values + i, sizeof v);
        squares += v * v;
        const auto magnitude = (simd::Doubles)((simd::Words)v & ~(uint64_t{1} << 63));
        most = magnitude > most ? magnitude : most;
      }
      double lane_squares[simd::lanes], lane_most[simd::lanes];
      std::memcpy(lane_squares, &squares, sizeof squares);
      std::memcpy(lane_most, &most, sizeof most);
      const double sum = simd::sum(lane_squares);
      if (std::isfinite(sum)) {
        total.norm += sum;
        total.max_abs = std::max(total.max_abs, simd::maximum(lane_most));
      } else {
        add_with_care(values, here, total);
      }
    }
    return total;
  }
};

}  // namespace

double norm_scale(double max_abs) {
  const bool out_of_range = max_abs > 0x1p+480 || (max_abs > 0 && max_abs < 0x1p-480);
  // Half the exponent: 2^-exponent itself can overflow for subnormal values.
  return out_of_range ? std::ldexp(1.0, -std::ilogb(max_abs) / 2) : 1;
}

Statistics statistics_of(const TensorView& view) {
  Statistics total = simd::run(Gather{}, &view, 1.0);
  const double scale = norm_scale(total.max_abs);
  const double squares = scale == 1 ? total.norm : simd::run(Gather{}, &view, scale).norm;
  total.norm = std::sqrt(squares) / scale;
  return total;
}

}  // namespace parity::measure
