// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include "harness/tensor/roundoff.hpp"

namespace parity::laws {

/// Returns a bound of the relative error of an L2 norm of n elements that a trainer computed.
///
/// A running sum in float32 loses digits with n: on a CPU 4e-6 at 5e5 elements, 1e-5 at 1e6 and 7e-4 at
/// 1.6e7 were measured. Partial sums stay far below. float64 loses 2^29 times less. A norm of a narrower type
/// is summed in float32 and rounded to that type once per tensor.
inline double norm_bound(int64_t n, double roundoff) {
  const double count = static_cast<double>(n);
  const double sum = roundoff < 0x1p-24 ? roundoff : 0x1p-24;
  return 8 * roundoff + sum * (std::sqrt(count) + 1e-3 * count);
}

/// Returns a bound of the relative error that this program's own float64 sums over n elements have.
inline double own_rounding(int64_t n) {
  return 0x1p-53 * (8 + 4 * std::sqrt(static_cast<double>(n)));
}

}  // namespace parity::laws
