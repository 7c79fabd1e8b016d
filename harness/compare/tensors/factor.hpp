// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/tensor/tensor_view.hpp"

namespace parity::compare {

/// One factor between the elements of two tensors that differ.
struct TensorFactor {
  double value = 1;      ///< actual / expected
  bool exact = false;    ///< the factor is 0 or a power of two, and each product has the recorded bits
  int64_t elements = 0;  ///< number of elements that differ, all by this factor

  /// Returns "zero", "-1 times", "0.5 times", "1/3 of" or "1.001 times", to stand before the expected side.
  std::string text() const;
};

/// Returns the factor f with actual = f * expected in every element that differs.
///
/// Signs, powers of two and 0 must give each element exactly, except where a product is subnormal. Any other
/// factor, also k and 1/k, must give its elements within two roundings of the dtype. It must be farther from
/// 1 than four roundings, because nearer ones are rounding. A single element shows only a sign or a 0,
/// because any two numbers have a ratio. Reads both tensors several times.
/// \param noise  difference that does not count, as a share of the largest expected magnitude; 0: bits count.
/// Above
///               0 no factor is exact
/// \return nothing if no factor fits, a value is not finite, or the tensors have other dtypes or shapes or
/// are
///         not of floating point
std::optional<TensorFactor> find_factor(const TensorView& expected, const TensorView& actual,
                                        double noise = 0);

}  // namespace parity::compare
