// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "reference/comm/device_mesh.hpp"
#include "reference/comm/group.hpp"
#include "reference/config/run_config.hpp"

namespace parity::reference {

/// The ranks of a run: their mesh, and the groups that a training step uses. The model does not know them.
struct Parallel {
  DeviceMesh mesh;
  std::shared_ptr<Group> world;
  /// Ranks that a micro-batch goes through, one after the other.
  std::shared_ptr<Group> pipeline = nullptr;
  /// Ranks that hold parts of the same blocks.
  std::shared_ptr<Group> stage = nullptr;
  /// Ranks that hold the same parameters, or the same parts of them.
  std::shared_ptr<Group> replicate = nullptr;
  /// Ranks that hold a part of each parameter and have other rows.
  std::shared_ptr<Group> shard = nullptr;
  /// Ranks that have parts of the same sequences.
  std::shared_ptr<Group> context = nullptr;
  /// Ranks that hold a part of each matrix, for the same tokens.
  std::shared_ptr<Group> tensor = nullptr;
  /// Ranks that have different rows of an update. Source: NUMERICS.md 6, as fsdp and loss.
  std::shared_ptr<Group> batch = nullptr;
  /// dp_shard x cp: ranks among which FSDP shards parameters.
  std::shared_ptr<Group> fsdp = nullptr;
  /// Of the ranks of `fsdp`, neighbours that hold different experts.
  std::shared_ptr<Group> expert = nullptr;
  /// Of the ranks of `fsdp`, those that hold parts of the same experts.
  std::shared_ptr<Group> expert_shard = nullptr;
  /// dp_replicate x cp: ranks that hold the same parameters without FSDP.
  std::shared_ptr<Group> copies = nullptr;
  /// batch x cp: ranks that have different tokens of an update.
  std::shared_ptr<Group> loss = nullptr;
};

/// \throws UserError if the mesh has more or fewer ranks than the world
DeviceMesh make_mesh(const ParallelConfig& config, int64_t world_size);

/// \throws UserError as make_mesh
Parallel make_parallel(const ParallelConfig& config, std::shared_ptr<Group> world);

}  // namespace parity::reference
