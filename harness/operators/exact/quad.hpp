// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cfloat>
#include <cmath>

namespace parity::operators {

#if LDBL_MANT_DIG >= 113
/// A number with a significand of 113 bits (IEEE binary128).
using Quad = long double;
inline Quad sqrt(Quad x) {
  return std::sqrt(x);
}
inline Quad exp(Quad x) {
  return std::exp(x);
}
inline Quad log(Quad x) {
  return std::log(x);
}
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
inline float sqrt(float x) {
  return std::sqrt(x);
}
inline float exp(float x) {
  return std::exp(x);
}
inline float log(float x) {
  return std::log(x);
}
inline double sqrt(double x) {
  return std::sqrt(x);
}
inline double exp(double x) {
  return std::exp(x);
}
inline double log(double x) {
  return std::log(x);
}

}  // namespace parity::operators
