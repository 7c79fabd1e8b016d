// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/enum_names.hpp"
#include "harness/compare/checks/check.hpp"
#include "harness/operators/judge/tensor_claim.hpp"

namespace parity::operators {

/// A defect of a kernel that every check of an operator must detect.
enum class Control {
  unwritten_nan,    ///< the output is not written, and its memory holds NaN
  unwritten_other,  ///< the output is not written, and its memory holds the right answer of another call
  zeros,
  input_copy,       ///< a copy of an input
  one_ulp,          ///< one element is off by one unit in the last place
  swapped_rows,     ///< two rows are exchanged
  missing_scale,    ///< the factor 1 / sqrt(size of the last dimension) is missing
  forward_as_grad,  ///< the gradient of an input is the output
};

constexpr auto enum_names(Control) {
  return named<Control::forward_as_grad>(
      "negative control",
      {"an output left unwritten (memory of NaN)", "an output left unwritten (memory of another call)",
       "zeros", "a copy of the input", "one element off by one ULP", "two rows swapped", "a missing scale",
       "a gradient that is the forward"});
}

/// What controls are made from, besides the tensor itself.
struct ControlSources {
  std::vector<double> other;                 ///< right values of another call; any number of them
  std::vector<std::vector<double>> inputs;   ///< values of the input tensors
  std::vector<std::vector<double>> outputs;  ///< values of the outputs
  bool is_gradient = false;
};

/// Returns whether a check has to detect a control. One ULP is rounding, so only claims about bits detect it.
/// Another computation is what `distinct` claims, so no control applies to it.
bool must_detect(const compare::Check& check, Control control);

/// Returns the values that a kernel with this defect returns; nothing if the defect does not apply to the
/// tensor, or leaves it unchanged.
std::optional<std::vector<double>> spoiled(Control control, const Values& right,
                                           const ControlSources& sources);

/// Returns whether a check passes although the side b has the defect; nothing if the control does not apply.
/// Defects but that of one ULP are in the float64 twin as well, as a defective kernel's would be.
std::optional<bool> passes_control(const compare::Check& check, const TensorSides& sides, Control control,
                                   const ControlSources& sources);

}  // namespace parity::operators
