// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <torch/types.h>

#include "reference/model/parameter.hpp"

namespace parity::reference {

/// Measures how far an update moves the parameters.
class UpdateNorm {
 public:
  explicit UpdateNorm(const Parameters& parameters);

  /// Remembers the parameters as they are.
  void before();
  /// L2 norm of what has changed since `before`, accumulated in float64 in a fixed order.
  double after() const;

 private:
  const Parameters& parameters_;
  std::vector<torch::Tensor> previous_;
};

}  // namespace parity::reference
