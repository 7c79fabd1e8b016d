// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/base/enum_names.hpp"

namespace parity::laws {

/// Coefficients of one step of Newton-Schulz: a x + b x^3 + c x^5, of each singular value x.
struct Quintic {
  double a = 0, b = 0, c = 0;
  bool operator==(const Quintic&) const = default;
};

/// How a trainer rounds within Newton-Schulz. All but `exact` are emulated: each result has the digits of the
/// type, and sums are exact before they are rounded.
///
/// - exact:            float64
/// - float32:          every product is rounded to float32
/// - bfloat16:         torch.optim.Muon: the matrix, its norm, and each product together with its sum
/// - bfloat16_apart:   Keller Jordan's code: also b A, c A, and each product before its sum
/// - bfloat16_divided: the norm divides in the type of the momentum, then as bfloat16
enum class SchulzArithmetic { exact, float32, bfloat16, bfloat16_apart, bfloat16_divided };

constexpr auto enum_names(SchulzArithmetic) {
  return named<SchulzArithmetic::bfloat16_divided>(
      "arithmetic of Newton-Schulz", {"float32 or wider", "float32", "bfloat16",
                                      "bfloat16, each operation rounded", "bfloat16 after the division"});
}

/// What Newton-Schulz computes.
struct NewtonSchulz {
  std::vector<Quintic> steps;
  double eps = 1e-7;  ///< least Frobenius norm that divides the matrix
};

/// Returns a matrix with singular values near 1, of the same shape:
///
///   X = G / max(||G||_F, eps);  for each step: X = a X + (b A + c A A) X with A = X X^T
///
/// `bfloat16_apart` adds eps to the norm, as Keller Jordan's code does. A matrix with more rows than columns
/// is transposed before and after.
/// \param matrix  [rows, columns], by rows
/// Source: Keller Jordan, "Muon: An optimizer for hidden layers in neural networks".
std::vector<double> newton_schulz(const std::vector<double>& matrix, size_t rows, size_t columns,
                                  const NewtonSchulz& rule, SchulzArithmetic arithmetic);

/// Returns x rounded to nearest, ties to even, with so many significant bits: 8 are those of bfloat16. NaN
/// and infinities stay.
double round_to_bits(double x, int bits);

}  // namespace parity::laws
