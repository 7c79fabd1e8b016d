// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/config/model_names.hpp"

#include <array>

#include "harness/base/error.hpp"
#include "harness/base/nearest.hpp"

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
          .rope_scaling = false,
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

// The 2,000-token vocabulary is the debug model of before 2025-10 (6,139,136 parameters).
const std::array<Row, 11> table = {{
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

}  // namespace

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const Row& row : table)
    names.emplace_back(row.name);
  return names;
}

ModelDimensions dimensions_of(std::string_view model, const ArchitectureConfig& architecture) {
  for (const Row& row : table) {
    if (row.name != model)
      continue;
    ModelDimensions result = row.dimensions;
    take(result.dim, architecture.dim);
    take(result.n_layers, architecture.n_layers);
    take(result.n_heads, architecture.n_heads);
    // Without a word about the key heads they follow the query heads (no grouping).
    take(result.n_kv_heads, architecture.n_kv_heads != 0 ? architecture.n_kv_heads : architecture.n_heads);
    take(result.vocab_size, architecture.vocab_size);
    if (architecture.dim != 0)
      result.ffn_hidden = (8 * architecture.dim / 3 + 255) / 256 * 256;
    take(result.ffn_hidden, architecture.ffn_hidden);
    take(result.max_seq_len, architecture.max_seq_len);
    take(result.rope_theta, architecture.rope_theta);
    take(result.norm_eps, architecture.norm_eps);
    take(result.nope_every, architecture.nope_every);
    take(result.head_width, architecture.head_dim);
    take(result.qk_norm, architecture.qk_norm);
    take(result.tied, architecture.tied_embeddings);
    result.rope_weights = architecture.rope_weights;
    if (architecture.rope != RopeChoice::model)
      result.rope = architecture.rope == RopeChoice::complex ? Rope::complex : Rope::rotate_half;
    if (architecture.initialization != InitializationChoice::model)
      result.initialization = architecture.initialization == InitializationChoice::normal
                                  ? Initialization::normal
                                  : Initialization::depth_scaled;
    if (architecture.rope_scaling != RopeScalingChoice::model)
      result.rope_scaling = architecture.rope_scaling == RopeScalingChoice::llama;
    return result;
  }
  throw UserError("unknown model '" + std::string(model) + "'" + suggestion(model, model_names()));
}

}  // namespace parity::reference
