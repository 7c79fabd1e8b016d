// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/tensor/placement.hpp"
#include "reference/comm/device_mesh.hpp"

namespace parity::reference {

/// The layout of what a rank holds of a parameter, for every mesh dimension of several ranks: along those
/// that no parallelism has split it over, all hold the same. Not along pp, whose ranks hold other parameters.
/// \param shape  of what is held
TensorLayout parameter_layout(TensorLayout layout, const std::vector<int64_t>& shape, const DeviceMesh& mesh,
                              int64_t rank);

/// Of a gradient before its reduction: a term of a sum along the dimensions whose ranks have other tokens,
/// and along those of `partial_over`.
TensorLayout local_gradient_layout(TensorLayout layout, const std::vector<int64_t>& shape,
                                   const DeviceMesh& mesh, int64_t rank,
                                   const std::vector<std::string>& partial_over = {});

/// Of the rows of an update that a rank reads: as many on each, in the order of dp_replicate, dp_shard.
/// \param shape  [rows of this rank, ...]
TensorLayout rows_layout(const std::vector<int64_t>& shape, const DeviceMesh& mesh, int64_t rank);

}  // namespace parity::reference
