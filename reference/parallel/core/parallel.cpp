// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/parallel/core/parallel.hpp"

#include <algorithm>

namespace parity::reference {
namespace {

/// Adds the groups of experts. Experts are distributed over the ranks among which FSDP shards parameters,
/// unflattened to (rest, ep).
void add_experts(Parallel& p, int64_t ep) {
  const std::vector<int64_t> ranks =
      p.mesh.group(p.world->rank(), std::vector<std::string>{"dp_shard", "cp"});
  const auto own = std::find(ranks.begin(), ranks.end(), p.world->rank()) - ranks.begin();
  std::vector<int64_t> experts, shards;
  for (int64_t i = 0; i < static_cast<int64_t>(ranks.size()); ++i) {
    if (i / ep == own / ep)
      experts.push_back(ranks[static_cast<size_t>(i)]);
    if (i % ep == own % ep)
      shards.push_back(ranks[static_cast<size_t>(i)]);
  }
  p.expert = p.world->subgroup("ep", experts);
  p.expert_shard = p.world->subgroup("expert_shard", shards);
}

}  // namespace

DeviceMesh make_mesh(const ParallelConfig& config, int64_t world_size) {
  return {{{"pp", config.pp},
           {"dp_replicate", config.dp_replicate},
           {"dp_shard", config.dp_shard},
           {"cp", config.cp},
           {"tp", config.tp}},
          world_size};
}

Parallel make_parallel(const ParallelConfig& config, std::shared_ptr<Group> world) {
  Parallel p{make_mesh(config, world->size()), world};
  const auto along = [&](const std::string& name, const std::vector<std::string>& dimensions) {
    return world->subgroup(name, p.mesh.group(world->rank(), dimensions));
  };
  p.pipeline = along("pp", {"pp"});
  p.stage = config.pp == 1 ? world : along("stage", {"dp_replicate", "dp_shard", "cp", "tp"});
  p.replicate = along("dp_replicate", {"dp_replicate"});
  p.shard = along("dp_shard", {"dp_shard"});
  p.context = along("cp", {"cp"});
  p.tensor = along("tp", {"tp"});
  p.batch = along("batch", {"dp_replicate", "dp_shard"});
  // Without context parallelism, the groups that it would widen equal the narrower ones.
  const bool wider = config.cp > 1;
  p.fsdp = wider ? along("fsdp", {"dp_shard", "cp"}) : p.shard;
  p.copies = wider ? along("copies", {"dp_replicate", "cp"}) : p.replicate;
  p.loss = wider ? along("loss", {"dp_replicate", "dp_shard", "cp"}) : p.batch;
  if (config.ep > 1)
    add_experts(p, config.ep);
  return p;
}

}  // namespace parity::reference
