// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/parallel/apply.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include "reference/loss/token_cross_entropy.hpp"
#include "reference/parallel/core/layout.hpp"
#include "reference/parallel/data/fsdp.hpp"
#include "reference/parallel/data/partial_gradients.hpp"
#include "reference/parallel/data/replicas.hpp"
#include "reference/parallel/model/activation_checkpointing.hpp"
#include "reference/parallel/model/context_parallel.hpp"
#include "reference/parallel/model/expert_parallel.hpp"
#include "reference/parallel/model/tensor_parallel.hpp"
#include "reference/parallel/model/vocabulary_cross_entropy.hpp"
#include "reference/parallel/pipeline/stages.hpp"

namespace parity::reference {
namespace {

std::vector<MeshPlace> fsdp_places(const Parallel& parallel) {
  return {{"dp_shard", parallel.shard->rank(), parallel.shard->size()},
          {"cp", parallel.context->rank(), parallel.context->size()}};
}

/// Returns the type in which ranks compute, where it is not the type of the weights: that of the
/// mixed-precision policy.
std::optional<torch::ScalarType> policy_type(const ParallelConfig& config, const Parameters& parameters) {
  const bool casts = config.has_units() && config.mixed_precision == MixedPrecision::bf16 &&
                     parameters.front().value.scalar_type() == torch::kFloat32;
  return casts ? std::optional(torch::kBFloat16) : std::nullopt;
}

Parameters trained_of(const Parameters& parameters) {
  Parameters trained;
  std::ranges::copy_if(parameters, std::back_inserter(trained),
                       [](const Parameter& parameter) { return parameter.value.requires_grad(); });
  return trained;
}

Applied sharded(Decoder& model, const Parameters& parameters, const ParallelConfig& config,
                const Parallel& parallel) {
  FsdpRanks ranks = {parallel.fsdp, parallel.replicate, config.gradient_reduction, fsdp_places(parallel)};
  ranks.compute = policy_type(config, parameters);
  Fsdp::Options options = {ranks, config.reshard_after_forward, config.sync, model.dimensions().tied};
  if (config.ep > 1) {
    options.expert_ranks = ranks;
    options.expert_ranks->shard = parallel.expert_shard;
    options.expert_ranks->divisor = parallel.fsdp->size();
  }
  auto fsdp = std::make_unique<Fsdp>(model.hooks(), parameters, options);
  const std::map<std::string, torch::Tensor> weights = fsdp->weights();
  model.visit_weights([&weights](const std::string& name, torch::Tensor& weight) {
    if (const auto used = weights.find(name); used != weights.end())  // others belong to other stages
      weight = used->second;
  });
  Applied applied;
  applied.leaves = parameters;
  for (Parameter& leaf : applied.leaves)
    leaf.value = weights.at(leaf.name);
  applied.parameters = fsdp->shards();
  applied.buffers = fsdp->buffers();
  applied.data_parallel = std::move(fsdp);
  return applied;
}

Applied replicated(Parameters parameters, const ParallelConfig& config, const Parallel& parallel) {
  for (Parameter& parameter : parameters)
    for (const auto& [dimension, ranks] :
         {std::pair("dp_replicate", parallel.replicate), std::pair("cp", parallel.context)})
      parameter.layout = replicated_over(parameter.layout, parameter.value, dimension, *ranks);
  auto replicas = std::make_unique<Replicas>(trained_of(parameters), parallel.copies, config.sync,
                                             config.gradient_reduction,
                                             config.replicate_with == ReplicateWith::flat_all_reduce);
  Applied applied;
  applied.buffers = replicas->buffers();
  applied.data_parallel = std::move(replicas);
  applied.leaves = parameters;
  applied.parameters = std::move(parameters);
  return applied;
}

void sum_partial_gradients(Applied& applied, const Parallel& parallel) {
  Parameters partial;
  for (const Parameter& parameter : applied.trained)
    if (!parameter.partial_gradient_over.empty())
      partial.push_back(parameter);
  if (!partial.empty())
    applied.data_parallel = std::make_unique<PartialGradients>(std::move(applied.data_parallel),
                                                               std::move(partial), parallel.tensor);
}

std::unique_ptr<Pipeline> make_pipeline(const Decoder& model, const PipelineShape& shape,
                                        const ParallelConfig& config, const Parallel& parallel,
                                        torch::ScalarType compute) {
  const GroupPointer alone = parallel.world->subgroup("alone", {parallel.world->rank()});
  return std::make_unique<Pipeline>(model, shape, parallel.pipeline,
                                    config.sequence_parallel ? parallel.tensor : alone, compute);
}

}  // namespace

Applied apply_parallelism(Decoder& model, const ParallelConfig& config, const Parallel& parallel) {
  Parameters parameters = apply_tensor_parallel(model, config, parallel.tensor);
  const PipelineShape shape = {config.pp_schedule, config.pp, config.pp_stages, config.pp_microbatches};
  if (config.pp > 1)
    parameters = keep_stages(model, parameters, shape, parallel.pipeline->rank());
  if (config.ep > 1)
    parameters = apply_expert_parallel(model, parameters, parallel.expert, fsdp_places(parallel));
  const torch::ScalarType compute =
      policy_type(config, parameters).value_or(parameters.front().value.scalar_type());
  apply_context_parallel(model.hooks(), model.dimensions().n_layers, parallel.context);
  const auto recomputed = apply_activation_checkpointing(model, config);
  Applied applied = config.has_units() ? sharded(model, parameters, config, parallel)
                                       : replicated(parameters, config, parallel);
  applied.recomputed = recomputed;
  applied.trained = trained_of(applied.parameters);
  sum_partial_gradients(applied, parallel);
  if (config.pp > 1)
    applied.pipeline = make_pipeline(model, shape, config, parallel, compute);
  if (config.loss_parallel) {
    applied.vocabulary_ranks = parallel.tensor;
    applied.cross_entropy_sum = [vocabulary = model.dimensions().vocab_size, ranks = parallel.tensor](
                                    const torch::Tensor& logits, const torch::Tensor& labels) {
      return vocabulary_cross_entropy(logits, labels, vocabulary, ranks).sum();
    };
    applied.log_z = [ranks = parallel.tensor](const torch::Tensor& logits) {
      return vocabulary_log_sum_exp(logits, ranks);
    };
  } else if (config.cp > 1)  // a mean over this rank's tokens would not be a term of the mean over all
    applied.cross_entropy_sum = token_cross_entropy_sum;
  return applied;
}

}  // namespace parity::reference
