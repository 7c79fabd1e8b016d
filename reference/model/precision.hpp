// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/types.h>

namespace parity::reference {

/// Returns float32, or float64 if `dtype` is float64. Arithmetic that needs at least float32 takes its dtype
/// from here alone: a literal float32 elsewhere would break the float64 twin.
inline torch::ScalarType at_least_float32(torch::ScalarType dtype) {
  return dtype == torch::kFloat64 ? torch::kFloat64 : torch::kFloat32;
}

/// Returns the tensor in that dtype; the tensor itself if its dtype is wide enough.
inline torch::Tensor at_least_float32(const torch::Tensor& x) {
  return x.to(at_least_float32(x.scalar_type()));
}

}  // namespace parity::reference
