// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/config/model_names.hpp"

#include <algorithm>
#include <array>

#include "harness/base/error.hpp"
#include "harness/base/text/nearest.hpp"

namespace parity::reference {
namespace {

struct Row {
  std::string_view name;
  ModelDimensions dimensions;
};

constexpr ModelDimensions llama3(int64_t dim, int64_t layers, int64_t heads, int64_t ffn_hidden) {
  return {.dim = dim,
          .n_layers = layers,
          .n_heads = heads,
          .n_kv_heads = 8,
          .vocab_size = 128256,
          .ffn_hidden = ffn_hidden,
          .max_seq_len = 131072};
}

struct Qwen3Size {
  int64_t dim, n_layers, n_heads, ffn_hidden;
  bool tied;
};

constexpr ModelDimensions qwen3(const Qwen3Size& size) {
  return {.dim = size.dim,
          .n_layers = size.n_layers,
          .n_heads = size.n_heads,
          .n_kv_heads = 8,
          .vocab_size = 151936,
          .ffn_hidden = size.ffn_hidden,
          .max_seq_len = 40960,
          .rope_theta = 1e6,
          .norm_eps = 1e-6,
          .rope_scaling = RopeScaling::none,
          .head_width = 128,
          .rope = Rope::rotate_half,
          .qk_norm = true,
          .tied = size.tied,
          .initialization = Initialization::normal};
}

constexpr ModelDimensions qwen3_debug() {
  ModelDimensions debug = qwen3({256, 8, 16, 3072, true});
  debug.vocab_size = 2048;
  debug.max_seq_len = 4096;
  return debug;
}

constexpr double bias_step = 1e-3;  // torchtitan's load_balance_coeff

/// Experts in every block; embedding and output projection are separate.
constexpr ModelDimensions qwen3_experts(const Qwen3Size& size, const MoeDimensions& moe) {
  ModelDimensions model = qwen3(size);
  model.moe = moe;
  model.moe.score = RouterScore::softmax;
  model.moe.route_norm = true;
  model.moe.load_balance = bias_step;
  return model;
}

constexpr ModelDimensions qwen3_debug_experts(int64_t experts, int64_t top_k) {
  ModelDimensions debug =
      qwen3_experts({256, 8, 16, 3072, false}, {.experts = experts, .top_k = top_k, .hidden = 768});
  debug.vocab_size = 2048;
  debug.max_seq_len = 4096;
  return debug;
}

constexpr ModelDimensions qwen3_30b_a3b() {
  ModelDimensions model =
      qwen3_experts({2048, 48, 32, 6144, false}, {.experts = 128, .top_k = 8, .hidden = 768});
  model.n_kv_heads = 4;
  return model;
}

/// One expert per token and a shared one of the same width. \param every  as MoeDimensions
constexpr MoeDimensions llama4_experts(int64_t experts, int64_t hidden, int64_t every) {
  return {.experts = experts,
          .hidden = hidden,
          .shared_hidden = hidden,
          .every = every,
          .score_before = true,
          .load_balance = bias_step};
}

/// \param nope_every  0 in torchtitan's own debug model, 4 in its debug_irope
constexpr ModelDimensions llama4_debug(int64_t nope_every) {
  return {.max_seq_len = 8192,
          .rope_scaling = RopeScaling::llama4,
          .nope_every = nope_every,
          .moe = llama4_experts(8, 512, 2)};
}

constexpr ModelDimensions llama4_17bx16e() {
  ModelDimensions model = llama3(5120, 48, 40, 16384);
  model.vocab_size = 202048;
  model.max_seq_len = 10485760;
  model.rope_scaling = RopeScaling::llama4;
  model.nope_every = 4;
  model.moe = llama4_experts(16, 8192, 1);
  return model;
}

/// The dimensions that all sizes of DeepSeek-V3 and of its predecessor share.
constexpr ModelDimensions deepseek(int64_t dim, int64_t layers, int64_t heads, int64_t ffn_hidden) {
  return {.dim = dim,
          .n_layers = layers,
          .n_heads = heads,
          .ffn_hidden = ffn_hidden,
          .max_seq_len = 16384,
          .rope_theta = 1e4,
          .rope_scaling = RopeScaling::yarn,
          .moe = {.dense_blocks = 1, .score = RouterScore::softmax, .load_balance = bias_step},
          .latent = {.kv_rank = 512, .nope_width = 128, .rope_width = 64, .value_width = 128, .mscale = 0.7}};
}

constexpr ModelDimensions deepseek_v3_debug() {
  ModelDimensions debug = deepseek(256, 6, 16, 1024);
  debug.moe.experts = 8;
  debug.moe.top_k = 3;
  debug.moe.hidden = 256;
  debug.moe.shared_hidden = 512;
  return debug;
}

constexpr ModelDimensions deepseek_v3_16b() {
  ModelDimensions model = deepseek(2048, 27, 16, 10944);
  model.vocab_size = 102400;
  model.moe.experts = 64;
  model.moe.top_k = 6;
  model.moe.hidden = 1408;
  model.moe.shared_hidden = 2816;
  return model;
}

constexpr ModelDimensions deepseek_v3_671b() {
  ModelDimensions model = deepseek(7168, 61, 128, 18432);
  model.vocab_size = 129280;
  model.latent.q_rank = 1536;
  model.latent.mscale = 1;
  model.moe = {.experts = 256,
               .top_k = 8,
               .hidden = 2048,
               .shared_hidden = 2048,
               .dense_blocks = 3,
               .route_norm = true,
               .route_scale = 2.5,
               .groups = 8,
               .limited_groups = 4,
               .load_balance = bias_step};
  return model;
}

// With a vocabulary of 2,000 tokens it is the debug model until 2025-10 (6,139,136 parameters).
const std::array<Row, 20> model_table = {{
    {"llama3.debug", {}},
    {"llama3.debug_2000", {.vocab_size = 2000}},
    {"llama3.8b", llama3(4096, 32, 32, 14336)},
    {"llama3.70b", llama3(8192, 80, 64, 28672)},
    {"qwen3.debug", qwen3_debug()},
    {"qwen3.0.6b", qwen3({1024, 28, 16, 3072, true})},
    {"qwen3.1.7b", qwen3({2048, 28, 16, 6144, true})},
    {"qwen3.4b", qwen3({2560, 36, 32, 9728, true})},
    {"qwen3.8b", qwen3({4096, 36, 32, 12288, false})},
    {"qwen3.14b", qwen3({5120, 40, 40, 17408, false})},
    {"qwen3.32b", qwen3({5120, 64, 64, 25600, false})},
    {"qwen3.debug_moe", qwen3_debug_experts(64, 8)},
    {"qwen3.debug_moe_8", qwen3_debug_experts(8, 2)},
    {"qwen3.30b_a3b", qwen3_30b_a3b()},
    {"llama4.debug", llama4_debug(0)},
    {"llama4.debug_irope", llama4_debug(4)},
    {"llama4.17bx16e", llama4_17bx16e()},
    {"deepseek_v3.debug", deepseek_v3_debug()},
    {"deepseek_v3.16b", deepseek_v3_16b()},
    {"deepseek_v3.671b", deepseek_v3_671b()},
}};

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

void take_sizes(ModelDimensions& result, const ArchitectureConfig& architecture) {
  take(result.dim, architecture.dim);
  take(result.n_layers, architecture.n_layers);
  take(result.n_heads, architecture.n_heads);
  // If the config does not set the key heads, they follow the query heads (no grouping).
  take(result.n_kv_heads, architecture.n_kv_heads != 0 ? architecture.n_kv_heads : architecture.n_heads);
  take(result.vocab_size, architecture.vocab_size);
  if (architecture.dim != 0)
    result.ffn_hidden = (8 * architecture.dim / 3 + 255) / 256 * 256;
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
    result.initialization = architecture.initialization == InitializationChoice::normal
                                ? Initialization::normal
                                : Initialization::depth_scaled;
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

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const Row& row : model_table)
    names.emplace_back(row.name);
  return names;
}

ModelDimensions dimensions_of(std::string_view model, const ArchitectureConfig& architecture,
                              const MoeConfig& moe) {
  const auto* const row = std::find_if(model_table.begin(), model_table.end(),
                                       [&](const Row& each) { return each.name == model; });
  if (row == model_table.end())
    throw UserError("unknown model '" + std::string(model) + "'" + suggestion(model, model_names()));
  ModelDimensions result = row->dimensions;
  take_sizes(result, architecture);
  take_kinds(result, architecture);
  take_moe(result.moe, moe);
  return result;
}

ModelDimensions dimensions_of(const RunConfig& config) {
  return dimensions_of(config.model, config.architecture, config.moe);
}

}  // namespace parity::reference
