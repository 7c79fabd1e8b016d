// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/operators/judge/values.hpp"

namespace parity::operators {

/// The factor that all elements of a tensor have in common, beside their roundings.
struct CommonFactor {
  double offset = 0;  ///< s of the best fit x = (1 + s) exact: sum e_i exact_i / ||exact||_2^2
  /// What independent errors of these sizes would leave of s: sqrt(sum (e_i exact_i)^2) / ||exact||_2^2.
  double chance = 0;

  /// Returns |s| in roundings of a dtype. \param roundoff  its unit roundoff
  double roundings(double roundoff) const;
};

/// Returns the common factor of the errors e = x - exact; {} if every exact value is 0.
CommonFactor common_factor(const Values& values, const Values& exact);

/// Returns whether all elements of a tensor are off by one factor that rounding does not explain.
///
/// The norm of the errors does not show it. In bfloat16 it may be 8 roundings, and 2.5 % are 6.4. But the
/// roundings of many elements are independent, and their mean shrinks with the root of their number. Only
/// what is rounded once for all of them remains. Two conditions:
/// - |s| exceeds 2 roundings, such as those of a constant and of a factor of it, and twice what the other arm
///   has, whose algorithm may share the loss.
/// - |s| exceeds 6 times `chance`. If the signs of the errors are independent, the probability of that is at
///   most 2 exp(-6^2 / 2) = 3e-8, whatever the sizes of the errors (Hoeffding's inequality for signs).
/// \param other   of another computation of the same tensor in the same dtype
/// \param factor  by which a check raises the limit
bool is_scaled(const CommonFactor& own, const CommonFactor& other, double roundoff, double factor);

}  // namespace parity::operators
