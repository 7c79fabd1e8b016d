// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/types.h>

namespace parity::reference {

/// float32, or float64 where `dtype` is float64. The only place that names float32 for arithmetic that must
/// not be done in less: a literal float32 elsewhere would spoil the float64 twin.
inline torch::ScalarType at_least_float32(torch::ScalarType dtype) {
  return dtype == torch::kFloat64 ? torch::kFloat64 : torch::kFloat32;
}

/// The tensor itself where its dtype is wide enough.
inline torch::Tensor at_least_float32(const torch::Tensor& x) {
  return x.to(at_least_float32(x.scalar_type()));
}

}  // namespace parity::reference
