// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
// The dimensions of a named model with the changes that a config asks for.
#include <cmath>

#include "harness/base/error.hpp"
#include "reference/config/model_names.hpp"

namespace parity::reference {
namespace {

void take(int64_t& own, int64_t asked) {
  if (asked != 0)
    own = asked;
}

void take(double& own, double asked) {
  if (asked != 0)
    own = asked;
}

void take(bool& own, Switch asked) {
  if (asked != Switch::model)
    own = asked == Switch::on;
}

RopeScaling rope_scaling_of(RopeScalingChoice choice, RopeScaling own) {
  switch (choice) {
    case RopeScalingChoice::model:
      return own;
    case RopeScalingChoice::llama:
      return RopeScaling::llama3;
    case RopeScalingChoice::none:
      return RopeScaling::none;
    case RopeScalingChoice::llama4:
      return RopeScaling::llama4;
    case RopeScalingChoice::yarn:
      return RopeScaling::yarn;
  }
  throw InternalError("unknown RoPE scaling");
}

Initialization initialization_of(InitializationChoice choice) {
  return choice == InitializationChoice::gpt2     ? Initialization::gpt2
         : choice == InitializationChoice::normal ? Initialization::normal
                                                  : Initialization::depth_scaled;
}

/// Takes the parts that some families of models have.
void take_variants(ModelDimensions& result, const ArchitectureConfig& architecture) {
  result.attention_softcap = architecture.attention_softcap;
  result.logit_softcap = architecture.logit_softcap;
  result.embedding_scale = architecture.embedding_scale;
  result.attention_sinks = architecture.attention_sinks;
  result.gate = architecture.attention_gate;
  result.mtp_depth = architecture.mtp_depth;
  result.delta = {architecture.full_attention_every, architecture.delta_form, architecture.delta_chunk};
  if (architecture.biases != BiasChoice::model)  // both enums have the same order
    result.biases = static_cast<Biases>(static_cast<int>(architecture.biases) - 1);
  if (architecture.positions != PositionEmbedding::model)
    result.learned_positions = architecture.positions == PositionEmbedding::learned;
  if (architecture.norm != NormChoice::model)
    result.norm = architecture.norm == NormChoice::layer ? NormKind::layer : NormKind::rms;
  if (architecture.feed_forward != FeedForwardChoice::model)
    result.feed_forward = architecture.feed_forward == FeedForwardChoice::gelu_tanh
                              ? FeedForwardKind::gelu_tanh
                              : FeedForwardKind::swiglu;
}

LoraDimensions lora_of(const LoraConfig& lora) {
  LoraDimensions result;
  result.rank = lora.rank;
  const auto rank = static_cast<double>(lora.rank);
  result.scale = lora.alpha / (lora.scale == LoraScale::rank ? rank : std::sqrt(rank));
  result.merged = lora.form == LoraForm::merged;
  for (const LoraTarget target : lora.targets)
    result.targets.set(static_cast<size_t>(target));
  if (lora.targets.empty())
    for (const LoraTarget target : {LoraTarget::wq, LoraTarget::wv})
      result.targets.set(static_cast<size_t>(target));
  return result;
}

void take_sizes(ModelDimensions& result, const ArchitectureConfig& architecture) {
  take(result.dim, architecture.dim);
  take(result.n_layers, architecture.n_layers);
  take(result.n_heads, architecture.n_heads);
  // If the config does not set the key heads, they follow the query heads (no grouping).
  take(result.n_kv_heads, architecture.n_kv_heads != 0 ? architecture.n_kv_heads : architecture.n_heads);
  take(result.vocab_size, architecture.vocab_size);
  if (architecture.dim != 0)
    result.ffn_hidden = result.feed_forward == FeedForwardKind::gelu_tanh
                            ? 4 * architecture.dim
                            : (8 * architecture.dim / 3 + 255) / 256 * 256;
  take(result.ffn_hidden, architecture.ffn_hidden);
  take(result.max_seq_len, architecture.max_seq_len);
  take(result.head_width, architecture.head_dim);
  take(result.latent.q_rank, architecture.q_lora_rank);
  take(result.latent.kv_rank, architecture.kv_lora_rank);
  take(result.latent.nope_width, architecture.qk_nope_head_dim);
  take(result.latent.rope_width, architecture.qk_rope_head_dim);
  take(result.latent.value_width, architecture.v_head_dim);
  if (result.is_latent()) {
    result.head_width = result.latent.nope_width + result.latent.rope_width;
    result.n_kv_heads = result.n_heads;
  }
}

void take_kinds(ModelDimensions& result, const ArchitectureConfig& architecture) {
  take(result.rope_theta, architecture.rope_theta);
  take(result.norm_eps, architecture.norm_eps);
  take(result.nope_every, architecture.nope_every);
  take(result.qk_norm, architecture.qk_norm);
  take(result.tied, architecture.tied_embeddings);
  result.fused_qkv = architecture.fused_qkv;
  result.rope_weights = architecture.rope_weights;
  if (architecture.rope != RopeChoice::model)
    result.rope = architecture.rope == RopeChoice::complex ? Rope::complex : Rope::rotate_half;
  if (architecture.initialization != InitializationChoice::model)
    result.initialization = initialization_of(architecture.initialization);
  result.rope_scaling = rope_scaling_of(architecture.rope_scaling, result.rope_scaling);
}

void take_moe(MoeDimensions& result, const MoeConfig& moe) {
  take(result.experts, moe.experts);
  take(result.top_k, moe.top_k);
  take(result.hidden, moe.hidden);
  take(result.shared_hidden, moe.shared_hidden);
  take(result.every, moe.every);
  take(result.route_norm, moe.route_norm);
  take(result.route_scale, moe.route_scale);
  take(result.groups, moe.groups);
  take(result.limited_groups, moe.limited_groups);
  if (moe.score != RouterScoreChoice::model)
    result.score = moe.score == RouterScoreChoice::softmax ? RouterScore::softmax : RouterScore::sigmoid;
  if (moe.score_place != ScorePlaceChoice::model)
    result.score_before = moe.score_place == ScorePlaceChoice::before;
  if (moe.load_balance != Switch::model)
    result.load_balance = moe.load_balance == Switch::on ? moe.load_balance_coeff : 0;
  else if (result.load_balance > 0)
    result.load_balance = moe.load_balance_coeff;
  result.force_balance = moe.force_balance;
  result.matmul = moe.matmul;
  result.balance_loss = moe.balance_loss;
  result.balance_loss_coeff = moe.balance_loss_coeff;
  result.z_loss_coeff = moe.z_loss_coeff;
  result.capacity_factor = moe.capacity_factor;
  result.drop = moe.drop;
}

}  // namespace

ModelDimensions dimensions_of(std::string_view model, const ArchitectureConfig& architecture,
                              const MoeConfig& moe) {
  ModelDimensions result = named_dimensions(model);
  take_variants(result, architecture);
  take_sizes(result, architecture);
  take_kinds(result, architecture);
  take_moe(result.moe, moe);
  return result;
}

ModelDimensions dimensions_of(const RunConfig& config) {
  ModelDimensions result = dimensions_of(config.model, config.architecture, config.moe);
  if (config.lora.rank > 0)
    result.lora = lora_of(config.lora);
  return result;
}

}  // namespace parity::reference
