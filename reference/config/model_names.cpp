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
  Llama3Dimensions dimensions;
};

// The 2,000-token vocabulary is the debug model of before 2025-10 (6,139,136 parameters).
const std::array<Row, 2> table = {{
    {"llama3.debug", {}},
    {"llama3.debug_2000", {.vocab_size = 2000}},
}};

void take(int64_t& own, int64_t asked) {
  if (asked != 0)
    own = asked;
}

void take(double& own, double asked) {
  if (asked != 0)
    own = asked;
}

}  // namespace

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const Row& row : table)
    names.emplace_back(row.name);
  return names;
}

Llama3Dimensions dimensions_of(std::string_view model, const ArchitectureConfig& architecture) {
  for (const Row& row : table) {
    if (row.name != model)
      continue;
    Llama3Dimensions result = row.dimensions;
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
    if (architecture.rope_scaling != RopeScalingChoice::model)
      result.rope_scaling = architecture.rope_scaling == RopeScalingChoice::llama;
    return result;
  }
  throw UserError("unknown model '" + std::string(model) + "'" + suggestion(model, model_names()));
}

}  // namespace parity::reference
