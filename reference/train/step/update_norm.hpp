// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <torch/types.h>

#include "reference/comm/group.hpp"
#include "reference/model/parameter.hpp"

namespace parity::reference {

/// Measures the L2 norm of the change that an update makes to the parameters.
class UpdateNorm {
 public:
  /// \param stage   all ranks that hold shards of these parameters
  /// \param stages  ranks along pp, which hold other parameters
  UpdateNorm(const Parameters& parameters, const Group& stage, const Group& stages);

  /// Copies the parameters.
  void before();
  /// Returns the norm of the change since before(), over all shards, accumulated in float64 in a fixed order.
  double after() const;

 private:
  const Parameters& parameters_;
  const Group& stage_;
  const Group& stages_;
  std::vector<torch::Tensor> previous_;
};

}  // namespace parity::reference
