// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/parallel/apply.hpp"

#include "reference/parallel/fsdp.hpp"
#include "reference/parallel/layout.hpp"
#include "reference/parallel/replicas.hpp"

namespace parity::reference {
namespace {

Applied sharded(Llama3& model, const Parameters& parameters, const ParallelConfig& config,
                const Parallel& parallel) {
  auto fsdp =
      std::make_unique<Fsdp>(model.hooks(), parameters,
                             Fsdp::Options{{parallel.shard, parallel.replicate, config.gradient_reduction},
                                           config.reshard_after_forward,
                                           config.sync});
  Applied applied;
  applied.parameters = fsdp->shards();
  applied.buffers = fsdp->buffers();
  applied.data_parallel = std::move(fsdp);
  return applied;
}

Applied replicated(Parameters parameters, const ParallelConfig& config, const Parallel& parallel) {
  for (Parameter& parameter : parameters)
    parameter.layout =
        replicated_over(parameter.layout, parameter.value, "dp_replicate", *parallel.replicate);
  Applied applied;
  applied.data_parallel =
      std::make_unique<Replicas>(parameters, parallel.replicate, config.sync, config.gradient_reduction);
  applied.parameters = std::move(parameters);
  return applied;
}

}  // namespace

Applied apply_parallelism(Llama3& model, const ParallelConfig& config, const Parallel& parallel) {
  const Parameters parameters = model.parameters();
  if (config.dp_shard > 1 || config.replicate_with == ReplicateWith::hsdp)
    return sharded(model, parameters, config, parallel);
  return replicated(parameters, config, parallel);
}

}  // namespace parity::reference
