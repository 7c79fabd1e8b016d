// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/tensor/placement.hpp"
#include "reference/comm/device_mesh.hpp"

namespace parity::reference {

/// Returns the layout of a rank's shard of a parameter, with a placement for every mesh dimension of several
/// ranks. It is replicated along dimensions that do not split it. pp is left out: its ranks hold other
/// parameters.
/// \param shape  of what is held
TensorLayout parameter_layout(TensorLayout layout, const std::vector<int64_t>& shape, const DeviceMesh& mesh,
                              int64_t rank);

/// Returns the layout of a gradient before its reduction. It is a term of a sum along the dimensions whose
/// ranks have different tokens, and along those of `partial_over`.
TensorLayout local_gradient_layout(TensorLayout layout, const std::vector<int64_t>& shape,
                                   const DeviceMesh& mesh, int64_t rank,
                                   const std::vector<std::string>& partial_over = {});

/// Returns the layout of the rows of an update that a rank reads: equally many on each rank, in the order of
/// dp_replicate, dp_shard.
/// \param shape  [rows of this rank, ...]
TensorLayout rows_layout(const std::vector<int64_t>& shape, const DeviceMesh& mesh, int64_t rank);

}  // namespace parity::reference
