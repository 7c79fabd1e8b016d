// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/types.h>

#include "reference/config/run_config.hpp"

namespace parity::reference {

/// Weights of the mismatch between trainer and generator, without gradient. [B, S]
struct CorrectionWeights {
  torch::Tensor weights_BS;
  torch::Tensor cut_BS;  ///< bool: tokens whose weight was truncated or masked
};

/// Computes w = exp(clamp(d, -20, 20)) for d = logprobs - generator, or for the sum of d over the row's
/// tokens, and then:
///
/// | truncate | min(w, cap)                      | TIS: Yao et al. 2025; verl rollout_correction |
/// | mask     | w if floor <= w <= cap, else 0   | IcePop 2025 (token); MIS: Liu et al. 2025     |
///
/// \param d_BS    0 where a token does not count
/// \param config  correction (not none), correction_level, correction_cap, correction_floor are read
CorrectionWeights correction_weights(const torch::Tensor& d_BS, const RlConfig& config);

}  // namespace parity::reference
