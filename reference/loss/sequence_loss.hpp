// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/loss/policy_terms.hpp"

namespace parity::reference {

// Losses of whole completions; policy_loss() has their formulas. They fill the loss and the sums of ratios,
// divergence and preferences. `d_BS` is 0 where a token does not count.

PolicyLoss grpo_sequence_loss(const PolicyTokens& tokens, const RlConfig& config,
                              const PolicyDivisor& divisor);
PolicyLoss gspo_loss(const torch::Tensor& d_BS, const PolicyTokens& tokens, const RlConfig& config,
                     const PolicyDivisor& divisor);
PolicyLoss dpo_loss(const torch::Tensor& d_BS, const PolicyTokens& tokens, const RlConfig& config,
                    const PolicyDivisor& divisor);

}  // namespace parity::reference
