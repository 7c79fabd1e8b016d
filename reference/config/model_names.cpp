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

/// GPT-2: learned positions, LayerNorm, GELU, biases, and a tied output projection.
constexpr ModelDimensions gpt2(int64_t dim, int64_t layers, int64_t heads) {
  return {.dim = dim,
          .n_layers = layers,
          .n_heads = heads,
          .n_kv_heads = heads,
          .vocab_size = 50257,
          .ffn_hidden = 4 * dim,
          .max_seq_len = 1024,
          .rope_scaling = RopeScaling::none,
          .tied = true,
          .initialization = Initialization::gpt2,
          .biases = Biases::all,
          .learned_positions = true,
          .norm = NormKind::layer,
          .feed_forward = FeedForwardKind::gelu_tanh};
}

constexpr ModelDimensions gpt2_debug() {
  ModelDimensions debug = gpt2(256, 6, 16);
  debug.vocab_size = 2048;
  return debug;
}

// With a vocabulary of 2,000 tokens it is the debug model until 2025-10 (6,139,136 parameters).
const std::array<Row, 25> model_table = {{
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
    {"gpt2.debug", gpt2_debug()},
    {"gpt2.124m", gpt2(768, 12, 12)},
    {"gpt2.355m", gpt2(1024, 24, 16)},
    {"gpt2.774m", gpt2(1280, 36, 20)},
    {"gpt2.1558m", gpt2(1600, 48, 25)},
}};

}  // namespace

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const Row& row : model_table)
    names.emplace_back(row.name);
  return names;
}

ModelDimensions named_dimensions(std::string_view model) {
  const auto* const row = std::find_if(model_table.begin(), model_table.end(),
                                       [&](const Row& each) { return each.name == model; });
  if (row == model_table.end())
    throw UserError("unknown model '" + std::string(model) + "'" + suggestion(model, model_names()));
  return row->dimensions;
}

}  // namespace parity::reference
