// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/model/decoder/qk_rows.hpp"

namespace parity::reference {
namespace {

/// Returns each head's factors of two groups of rows, head after head.
torch::Tensor rows_of_heads(const torch::Tensor& first_H, int64_t first, const torch::Tensor& second_H,
                            int64_t second) {
  return at::cat({first_H.unsqueeze(1).expand({-1, first}), second_H.unsqueeze(1).expand({-1, second})}, 1)
      .flatten();
}

}  // namespace

std::vector<RowFactors> qk_row_factors(const ModelDimensions& dimensions, int64_t layer,
                                       const torch::Tensor& gamma_H) {
  const std::string prefix = "layers." + std::to_string(layer) + ".attention.";
  const torch::Tensor root_H = gamma_H.sqrt();
  if (dimensions.is_latent()) {
    const LatentDimensions& d = dimensions.latent;
    const char* queries = d.q_rank > 0 ? "wq_b.weight" : "wq.weight";
    return {{prefix + queries, rows_of_heads(root_H, d.nope_width, gamma_H, d.rope_width)},
            {prefix + "wkv_b.weight",
             rows_of_heads(root_H, d.nope_width, at::ones_like(gamma_H), d.value_width)}};
  }
  const auto rows = [&](const torch::Tensor& x_H) { return x_H.repeat_interleave(dimensions.head_dim()); };
  if (dimensions.n_kv_heads < dimensions.n_heads)
    return {{prefix + "wq.weight", rows(gamma_H)}};
  return {{prefix + "wq.weight", rows(root_H)}, {prefix + "wk.weight", rows(root_H)}};
}

}  // namespace parity::reference
