// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace parity::reference {

/// The type of a parameter of a C function.
enum class CType {
  float_pointer,
  double_pointer,
  half_pointer,
  int64_pointer,
  any_pointer,
  int64,
  int32,
  float32,
  float64
};

/// A parameter of a declared C function.
struct CParameter {
  CType type = CType::int64;
  bool is_const = false;  ///< of a pointer: whether the function only reads through it
  std::string name;

  bool is_pointer() const { return type <= CType::any_pointer; }
};

/// Reads "void(const float* x, float* out, int64_t rows, float eps)".
/// \throws UserError for another result than void, an unknown type, or a parameter without a name
std::vector<CParameter> parse_signature(const std::string& text);

/// An argument of a C function, in the class of registers that passes it.
struct CArgument {
  bool floating = false;
  int64_t integer = 0;
  double number = 0;  ///< the low bits hold a float, if the parameter is one
};

/// Calls a C function of void.
///
/// The System V ABI of x86-64 and the AAPCS64 pass integers and pointers, and floating-point numbers, each by
/// a sequence of their own. So one call with all integers, then all numbers, serves every order of
/// parameters.
/// \throws UserError for more than 14 integers and pointers, or 8 numbers
void call_c_function(void* function, const std::vector<CArgument>& arguments);

}  // namespace parity::reference
