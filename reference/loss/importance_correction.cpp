// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/loss/importance_correction.hpp"

#include <ATen/core/grad_mode.h>

namespace parity::reference {

CorrectionWeights correction_weights(const torch::Tensor& d_BS, const RlConfig& config) {
  constexpr double largest = 20;
  const torch::NoGradGuard no_grad;
  torch::Tensor log_BS = d_BS.detach();
  if (config.correction_level == CorrectionLevel::sequence)
    log_BS = log_BS.sum(-1, true).expand_as(d_BS);
  const torch::Tensor weights = log_BS.clamp(-largest, largest).exp();
  torch::Tensor cut = weights.gt(config.correction_cap);
  if (config.correction == ImportanceCorrection::truncate)
    return {weights.clamp_max(config.correction_cap), cut};
  cut = cut.logical_or(weights.lt(config.correction_floor));
  return {weights.masked_fill(cut, 0), cut};
}

}  // namespace parity::reference
