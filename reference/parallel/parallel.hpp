// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "reference/comm/device_mesh.hpp"
#include "reference/comm/group.hpp"
#include "reference/config/run_config.hpp"

namespace parity::reference {

/// The ranks of a run: their mesh, and the groups that a training step speaks to. The model knows none of it.
struct Parallel {
  DeviceMesh mesh;
  std::shared_ptr<Group> world;
  std::shared_ptr<Group> pipeline;   ///< ranks that a micro-batch goes through, one after the other
  std::shared_ptr<Group> stage;      ///< ranks that hold parts of the same blocks
  std::shared_ptr<Group> replicate;  ///< ranks that hold the same parameters, or the same parts of them
  std::shared_ptr<Group> shard;      ///< ranks that hold a part of each parameter
  std::shared_ptr<Group> tensor;     ///< ranks that hold a part of each matrix, for the same rows
  std::shared_ptr<Group> batch;      ///< ranks that have different rows of an update. Source: NUMERICS.md 6
};

/// \throws UserError if the mesh has more or fewer ranks than the world
Parallel make_parallel(const ParallelConfig& config, std::shared_ptr<Group> world);

}  // namespace parity::reference
