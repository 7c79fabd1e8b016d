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
  /// \param stage   all ranks that hold parts of them
  /// \param stages  ranks along pp, which hold other ones
  UpdateNorm(const Parameters& parameters, const Group& stage, const Group& stages);

  /// Remembers the parameters as they are.
  void before();
  /// L2 norm of what has changed since `before`, accumulated in float64 in a fixed order, over all parts.
  double after() const;

 private:
  const Parameters& parameters_;
  const Group& stage_;
  const Group& stages_;
  std::vector<torch::Tensor> previous_;
};

}  // namespace parity::reference
