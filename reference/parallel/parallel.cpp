// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/parallel/parallel.hpp"

namespace parity::reference {

Parallel make_parallel(const ParallelConfig& config, std::shared_ptr<Group> world) {
  DeviceMesh mesh({{"pp", config.pp},
                   {"dp_replicate", config.dp_replicate},
                   {"dp_shard", config.dp_shard},
                   {"tp", config.tp}},
                  world->size());
  const auto along = [&](const std::string& name, const std::vector<std::string>& dimensions) {
    return world->subgroup(name, mesh.group(world->rank(), dimensions));
  };
  std::shared_ptr<Group> pipeline = along("pp", {"pp"});
  std::shared_ptr<Group> stage = config.pp == 1 ? world : along("stage", {"dp_replicate", "dp_shard", "tp"});
  std::shared_ptr<Group> replicate = along("dp_replicate", {"dp_replicate"});
  std::shared_ptr<Group> shard = along("dp_shard", {"dp_shard"});
  std::shared_ptr<Group> tensor = along("tp", {"tp"});
  std::shared_ptr<Group> batch = along("batch", {"dp_replicate", "dp_shard"});
  return {std::move(mesh),      std::move(world), std::move(pipeline), std::move(stage),
          std::move(replicate), std::move(shard), std::move(tensor),   std::move(batch)};
}

}  // namespace parity::reference
