// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <torch/types.h>

#include "reference/config/model_names.hpp"

namespace parity::reference {

/// The factor of each row of a weight.
struct RowFactors {
  std::string weight;       ///< "layers.0.attention.wq.weight"
  torch::Tensor factors_R;  ///< [rows] float64
};

/// Returns the factors that multiply every logit of head h by gamma_h, and change as little as possible that
/// other heads use:
///
/// | weight                    | rows of head h               | factor                |
/// |---------------------------|------------------------------|-----------------------|
/// | wq, wk                    | of its query, of its key     | sqrt(gamma_h)         |
/// | wq, if heads share a key  | of its query                 | gamma_h; wk stays     |
/// | wq or wq_b, latent        | without RoPE, with RoPE      | sqrt(gamma_h), gamma_h|
/// | wkv_b, latent             | of its key, of its value     | sqrt(gamma_h), 1      |
///
/// \param gamma_H  [H] float64
/// Source: Kimi K2 (arXiv:2507.20534, section 2.1), whose heads share the rotated part of a latent key; a key
/// that heads share as a whole follows the same rule.
std::vector<RowFactors> qk_row_factors(const ModelDimensions& dimensions, int64_t layer,
                                       const torch::Tensor& gamma_H);

}  // namespace parity::reference
