// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "harness/operators/exact/work.hpp"

namespace parity::operators {

using ExactWork = Work<Quad, Quad>;
using ExactGradients = Work<Traced<Quad>, Quad>;
using PlainWork32 = Work<float, float>;
using PlainGradients32 = Work<Traced<float>, float>;
using PlainWork64 = Work<double, double>;
using PlainGradients64 = Work<Traced<double>, double>;

/// A formula, written once over the type of number. In Quad it gives the exact result; in float and double,
/// with sums from left to right, it is the plain implementation that kernels are compared with.
struct Formula {
  std::string_view name;
  size_t outputs;
  void (*exact)(ExactWork&);
  void (*exact_gradients)(ExactGradients&);
  void (*plain32)(PlainWork32&);
  void (*plain_gradients32)(PlainGradients32&);
  void (*plain64)(PlainWork64&);
  void (*plain_gradients64)(PlainGradients64&);
};

/// Returns every formula. cases/README.md lists their arguments.
std::span<const Formula> formulas();
/// \throws UserError with the nearest names if there is none
const Formula& formula_of(std::string_view name);

}  // namespace parity::operators
