// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <torch/types.h>

#include "reference/comm/group.hpp"
#include "reference/model/parameter.hpp"

namespace parity::reference {

/// Measures how far an update moves the parameters.
class UpdateNorm {
 public:
  /// \param world  all ranks that hold parts of them
  UpdateNorm(const Parameters& parameters, const Group& world);

  /// Remembers the parameters as they are.
  void before();
  /// L2 norm of what has changed since `before`, accumulated in float64 in a fixed order, over all parts.
  double after() const;

 private:
  const Parameters& parameters_;
  const Group& world_;
  std::vector<torch::Tensor> previous_;
};

}  // namespace parity::reference
