// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cfloat>
#include <cmath>

namespace parity::operators {

#if LDBL_MANT_DIG >= 113
/// A number with a significand of 113 bits (IEEE binary128).
using Quad = long double;
#else
/// A number with a significand of 113 bits (IEEE binary128).
__extension__ typedef __float128 Quad;  // NOLINT(modernize-use-using): __extension__ needs it
extern "C" {                            // of GCC's libquadmath, whose header clang does not find
Quad sqrtq(Quad x);
Quad expq(Quad x);
Quad logq(Quad x);
}
inline Quad sqrt(Quad x) {
  return sqrtq(x);
}
inline Quad exp(Quad x) {
  return expq(x);
}
inline Quad log(Quad x) {
  return logq(x);
}
#endif

// The same names for the types of plain implementations.
using std::exp;
using std::log;
using std::sqrt;

}  // namespace parity::operators
