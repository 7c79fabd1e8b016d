// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic of residues. Every function works on planes: int64 tensors with one residue for each number.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "reference/exact/arithmetic/tower.hpp"

namespace parity::reference::exact {

/// Residues of the numbers of a tensor, one plane for each thing that is known.
///
/// The logarithm of s has no residue. A number that contains one is a + log(s): `levels` has a from level 1
/// on, `factor` has s, and level 0 is a hash of `power`. Sums add a and multiply s, so exp(a + log(s)) =
/// exp(a) s. `power` is exp(a) s, projected to where roots are unique, so that it survives multiplication by
/// a constant.
struct Numbers {
  std::vector<at::Tensor> levels;  ///< [i]: modulo p_i; at least level 0
  at::Tensor power = {};           ///< defined where the numbers contain logarithms
  at::Tensor factor = {};          ///< undefined as well once a logarithm was multiplied by a fraction
  at::Tensor square = {};          ///< the exact squares, where the numbers are roots
  at::Tensor constant = {};        ///< the values, float64, where the numbers are constants of the program

  bool has_log() const { return power.defined(); }
  const at::Tensor& first() const { return levels.front(); }
};

/// Returns constants as the rational numbers that they are. \param values  any real dtype, any shape
Numbers constants(const at::Tensor& values);
Numbers constant(double value);

Numbers add(const Numbers& a, const Numbers& b);
Numbers sub(const Numbers& a, const Numbers& b);
Numbers mul(const Numbers& a, const Numbers& b);
Numbers div(const Numbers& a, const Numbers& b);
Numbers neg(const Numbers& a);
Numbers reciprocal(const Numbers& a);
Numbers square(const Numbers& a);
/// Returns a^n. \param n  a whole number or half of one
Numbers power(const Numbers& a, double n);
Numbers sqrt(const Numbers& a);
Numbers rsqrt(const Numbers& a);
/// \throws UserError if no level is left
Numbers exp(const Numbers& a);
Numbers log(const Numbers& a);
/// Returns an uninterpreted function: a keyed hash of each number, in all levels.
Numbers uninterpreted(const std::string& function, const Numbers& a);

/// Returns the sum over dimensions.
Numbers sum(const Numbers& a, at::IntArrayRef dims, bool keepdim);
/// Returns a b of matrices [..., m, k] and [..., k, n] with equal leading dimensions.
Numbers product(const Numbers& a, const Numbers& b);

/// Returns whether numbers can be added to logarithms, and numbers in the form that logarithms have.
bool can_have_log(const Numbers& a);
Numbers with_log(const Numbers& a);
/// Returns level 0 alone, as a number that is no longer a logarithm.
Numbers plain(const Numbers& a);
/// Returns numbers with new upper levels, which are hashes of level 0.
Numbers lifted(const Numbers& a);

/// Applies a function to every plane, which moves elements and computes nothing. The function gets the planes
/// of all operands, and fills what it adds with `fill`.
using Move = std::function<at::Tensor(const std::vector<at::Tensor>& planes, int64_t fill)>;
Numbers moved(const std::vector<Numbers>& operands, const Move& move);

}  // namespace parity::reference::exact
