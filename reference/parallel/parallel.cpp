// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/parallel/parallel.hpp"

namespace parity::reference {

Parallel make_parallel(const ParallelConfig& config, std::shared_ptr<Group> world) {
  DeviceMesh mesh({{"dp_replicate", config.dp_replicate}}, world->size());
  const auto along = [&](const std::string& name, const std::vector<std::string>& dimensions) {
    return world->subgroup(name, mesh.group(world->rank(), dimensions));
  };
  std::shared_ptr<Group> replicate = along("dp_replicate", {"dp_replicate"});
  std::shared_ptr<Group> batch = along("batch", {"dp_replicate"});
  return {std::move(mesh), std::move(world), std::move(replicate), std::move(batch)};
}

}  // namespace parity::reference
