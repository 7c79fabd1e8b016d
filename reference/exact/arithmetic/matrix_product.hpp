// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Products of matrices of residues.
#pragma once

#include <ATen/core/Tensor.h>

#include "reference/exact/arithmetic/field.hpp"

namespace parity::reference::exact {

/// Returns matrix products [..., m, k] [..., k, n] with equal leading dimensions. An element that is not a
/// residue makes its row or column unknown.
at::Tensor products(const at::Tensor& a, const at::Tensor& b, const Field& field);

/// The two ways in which `products` computes, for [m, k] [k, n]; the elements are those of the same field.
/// Sums of 128-bit integers.
at::Tensor product_of_integers(const at::Tensor& a, const at::Tensor& b, const Field& field);
/// Products of float64 matrices, each exact. An element is three digits of 21 bits, with signs:
///
///   a = a0 + a1 B + a2 B^2,   B = 2^21,   |a_i| <= B / 2
///
/// and a_i b_j + a_j b_i = (a_i + a_j) (b_i + b_j) - a_i b_i - a_j b_j (Karatsuba), so that six products are
/// enough. Their elements are whole numbers below 2^53, which float64 adds without rounding in any order.
at::Tensor product_of_digits(const at::Tensor& a, const at::Tensor& b, const Field& field);

}  // namespace parity::reference::exact
