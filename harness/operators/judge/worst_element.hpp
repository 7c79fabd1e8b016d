// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "harness/operators/judge/values.hpp"

namespace parity::operators {

/// The element that lost most.
struct WorstElement {
  double roundings = 0;  ///< |x_i - exact_i| / (u max(|exact_i|, RMS of exact))
  size_t element = 0;
};

/// Returns the element of a tensor that lost most; {} for an empty tensor.
///
/// Where the exact value is small, the root mean square of all elements takes its place, since sums that
/// cancel lose in proportion to their terms.
/// \param roundoff  unit roundoff u of the tensor's dtype
WorstElement worst_element(const Values& values, const Values& exact, double roundoff);

/// Returns whether an element lost more than rounding explains, as one that a kernel never wrote.
///
/// A norm does not show it: k wrong elements among N raise the error in norm by sqrt(k / N) of their size.
/// The limit has the numbers of RoundingSizeRule: 32 times what the worst element of another computation of
/// the same dtype lost, or 2 roundings if that is more. In bfloat16 an element that is 0 in place of x loses
/// 256.
/// \param factor  by which a check raises the limit
bool stands_out(const WorstElement& own, const WorstElement& other, double factor);

}  // namespace parity::operators
