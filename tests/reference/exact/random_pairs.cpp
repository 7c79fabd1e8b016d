// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/exact/random_pairs.hpp"

#include <cmath>

#include "harness/base/error.hpp"
#include "reference/config/keys.hpp"
#include "reference/config/model_names.hpp"
#include "reference/config/validate.hpp"
#include "tests/reference/tiny.hpp"

namespace parity::reference {
namespace {

bool has_experts(const RunConfig& config) {
  return dimensions_of(config).moe.experts > 0;
}

void draw_experts(RunConfig& config, Draws& draws) {
  config.moe.experts = 4;
  config.moe.top_k = draws.pick({1, 2});
  config.moe.hidden = 8;
  config.moe.score = draws.pick({RouterScoreChoice::softmax, RouterScoreChoice::sigmoid});
  config.moe.route_norm = draws.pick({Switch::on, Switch::off});
  config.moe.route_scale = draws.pick({1.0, 2.5});
}

void draw_model(RunConfig& config, Draws& draws) {
  ArchitectureConfig& a = config.architecture;
  a.norm_eps = draws.pick({1e-5, 1e-6});
  a.rope_theta = draws.pick({1e4, 5e5});
  config.model = draws.pick({"llama3.debug", "llama3.debug", "qwen3.debug", "qwen3.debug_moe_8",
                             "llama4.debug_irope", "deepseek_v3.debug"});
  if (config.model == "llama3.debug") {
    a.qk_norm = draws.pick({Switch::on, Switch::off});
    a.tied_embeddings = draws.pick({Switch::on, Switch::off});
    a.rope = draws.pick({RopeChoice::complex, RopeChoice::rotate_half});
    a.fused_qkv = draws.once_in(3);
    a.nope_every = draws.pick({0, 2});
  } else if (config.model == "deepseek_v3.debug") {
    a.n_kv_heads = 0;
    a.q_lora_rank = draws.pick({0, 8});
    a.kv_lora_rank = 12;
    a.qk_nope_head_dim = 6;
    a.qk_rope_head_dim = 4;
    a.v_head_dim = 5;
  } else {
    a.head_dim = 4;
  }
  if (has_experts(config))
    draw_experts(config, draws);
  if (dimensions_of(config).moe.shared_hidden > 0)
    config.moe.shared_hidden = 8;
}

void draw_mask(RunConfig& config, Draws& draws) {
  const int64_t kind = draws.below(5);
  if (kind == 1)
    config.attention.sliding_window = draws.pick({3, 5});
  if (kind == 2)
    config.attention.fixed_block = draws.pick({3, 4});
  if (kind == 3) {
    config.data.packing = Packing::stream;  // whose EOS is an input
    config.data.document_tokens = 4;
    config.data.eos_id = 3;
    config.data.positions = draws.pick({PositionsChoice::sequence, PositionsChoice::document});
    config.attention.documents = {DocumentBoundary::eos};
  }
  if (kind != 0 && kind != 4)
    config.attention.backend = draws.pick({AttentionBackend::flex, AttentionBackend::varlen});
}

void draw_optimizer(RunConfig& config, Draws& draws) {
  config.optimizer.name = draws.pick({OptimizerName::adamw, OptimizerName::adamw, OptimizerName::sgd});
  config.optimizer.weight_decay = draws.pick({0.1, 0.01});
  if (config.optimizer.name == OptimizerName::sgd)
    config.optimizer.momentum = draws.pick({0.0, 0.9});
  config.clip.max_norm = draws.pick({1e-3, 1e3});  // which acts, and which does not
  config.lr.base = draws.pick({8e-4, 3e-3});
}

bool is_one_mean(const RunConfig& config) {
  return config.data.micro_batches == 1 && config.parallel.batch_ranks() == 1 &&
         config.parallel.pp_microbatches == 1;
}

/// Draws an attention that computes the same function. Where values are narrower than keys, PyTorch
/// multiplies queries and keys by the root of the scale each. As a double, that root squared is another scale
/// than flex's.
AttentionBackend draw_backend(const RunConfig& config, Draws& draws) {
  if (dimensions_of(config).is_latent() && config.attention.backend == AttentionBackend::flex)
    return AttentionBackend::flex;
  if (dimensions_of(config).is_latent())
    return draws.pick(
        {AttentionBackend::sdpa, AttentionBackend::varlen, AttentionBackend::dense, AttentionBackend::tiled});
  return draws.pick({AttentionBackend::sdpa, AttentionBackend::flex, AttentionBackend::varlen,
                     AttentionBackend::dense, AttentionBackend::tiled});
}

/// Cuts the work of one rank in another way.
void rearrange_work(RunConfig& config, Draws& draws) {
  config.data.micro_batches = draws.pick({1, 1, 2, 4});
  config.loss.chunks = draws.pick({0, 0, 2, 3});
  config.parallel.activation_checkpointing =
      draws.pick({ActivationCheckpointing::none, ActivationCheckpointing::full});
  config.optimizer.implementation =
      draws.pick({OptimizerImplementation::fused, OptimizerImplementation::plain});
  config.train.update = draws.pick({UpdateCall::step, UpdateCall::halves});
  config.train.evaluate = draws.once_in(8);
  config.train.autocast = draws.once_in(4) && !has_experts(config);  // rounding may change the experts
  config.attention.backend = draw_backend(config, draws);
  config.train.batch_invariant = config.attention.backend == AttentionBackend::tiled && draws.once_in(2);
  config.loss.normalization = draws.pick({Normalization::global_tokens, Normalization::gradient_scaling});
  if (config.loss.normalization == Normalization::gradient_scaling)
    config.loss.accumulation = draws.pick({Accumulation::prefetched, Accumulation::streamed});
  if (is_one_mean(config) && draws.once_in(4))
    config.loss.normalization = Normalization::microbatch_mean;
}

void rearrange_pipeline(RunConfig& config, Draws& draws) {
  config.parallel.pp = 2;
  config.parallel.pp_microbatches = draws.pick({1, 2, 4});
  config.parallel.pp_schedule = draws.pick(
      {PipelineSchedule::gpipe, PipelineSchedule::one_forward_one_backward, PipelineSchedule::interleaved});
  if (config.parallel.pp_schedule == PipelineSchedule::interleaved)
    config.parallel.pp_stages = 2;
}

/// Spreads the work over ranks.
void rearrange_ranks(RunConfig& config, Draws& draws) {
  ParallelConfig& p = config.parallel;
  p.dp_replicate = draws.pick({1, 1, 2});
  p.dp_shard = draws.pick({1, 1, 2, 4});
  p.tp = draws.pick({1, 1, 2});
  p.cp = draws.pick({1, 1, 1, 2});
  if (draws.once_in(4))
    rearrange_pipeline(config, draws);
  if (p.tp > 1) {
    p.sequence_parallel = draws.once_in(2);
    p.loss_parallel = draws.once_in(2);
  }
  if (p.dp_shard > 1)
    p.reshard_after_forward = draws.pick(
        {ReshardAfterForward::all_but_last, ReshardAfterForward::always, ReshardAfterForward::never});
  else
    p.replicate_with =
        draws.pick({ReplicateWith::all_reduce, ReplicateWith::flat_all_reduce, ReplicateWith::hsdp});
  if (p.has_units() && !has_experts(config))
    p.mixed_precision = draws.pick({MixedPrecision::none, MixedPrecision::bf16});
  if (has_experts(config) && p.has_units())
    p.ep = draws.pick({1, 2});
  p.sync = draws.pick({GradientSync::last, GradientSync::each});
}

}  // namespace

bool is_valid(const RunConfig& config) {
  try {
    validate(config);
  } catch (const UserError&) {
    return false;
  }
  return true;
}

RunConfig draw_function(Draws& draws) {
  while (true) {
    RunConfig config = tiny_config();
    config.steps = 2;
    config.lr.total_steps = 10;
    config.data.global_batch = 4;
    config.data.seed = draws.below(1000);
    config.data.ignore_fraction = draws.pick({0.0, 0.3});
    draw_model(config, draws);
    if (draws.once_in(5))
      config.architecture.n_layers = 4;
    draw_mask(config, draws);
    draw_optimizer(config, draws);
    if (is_valid(config))
      return config;
  }
}

RunConfig rearranged(const RunConfig& config, Draws& draws, int64_t ranks) {
  while (true) {
    RunConfig other = config;
    if (ranks > 1)
      rearrange_ranks(other, draws);
    rearrange_work(other, draws);
    if (other.parallel.ranks() <= ranks && is_valid(other))
      return other;
  }
}

RandomPair draw_equal_pair(Draws& draws) {
  const RunConfig function = draw_function(draws);
  RandomPair pair;
  pair.one = rearranged(function, draws, 1);
  pair.other = rearranged(function, draws, 4);
  return pair;
}

std::string to_text(const RandomPair& pair) {
  std::string text = "model = " + pair.one.model;
  const RunConfig defaults = tiny_config();
  for (const Key& key : keys()) {
    const Json one = key.get(pair.one), other = key.get(pair.other);
    if (one != other)
      text += "; " + key.name + " = " + one.dump() + " | " + other.dump();
    else if (one != key.get(defaults) && key.name != "model")
      text += "; " + key.name + " = " + one.dump();
  }
  return text + (pair.fault.empty() ? "" : "; fault: " + pair.fault);
}

}  // namespace parity::reference
