// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "harness/operators/judge/values.hpp"

namespace parity::operators {

/// The errors of a tensor's elements, in units in the last place of its dtype at the exact value.
///
/// The value 0 has no last place. An error there counts in units of the tensor's largest exact value, or of 1
/// if all are 0: it is an absolute error.
struct UlpErrors {
  double largest = 0;
  double most = 0;  ///< 99.9 % of the elements have no larger one
  double mean = 0;
  size_t worst = 0;  ///< element with the largest error
  /// Number of elements by error: 0; up to 1/2; up to 1; up to 2; ...; up to 2^20; more, or not finite.
  std::array<int64_t, 24> histogram = {};
};

/// Returns the errors of `values` against exact values of the same shape. An element that is not finite where
/// the exact one is has an infinite error, and the reverse.
/// \param dtype  floating-point type in whose units errors count
UlpErrors ulp_errors(const Values& values, const Values& exact, DType dtype);

/// Returns the exact values rounded to a dtype: what the best possible kernel returns.
Values correctly_rounded(const Values& exact, DType dtype);

}  // namespace parity::operators
