// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <torch/types.h>

#include "reference/config/run_config.hpp"

namespace parity::reference {

/// Inputs of a policy's loss: one number for each token, [B, S]. All but `counts` are float32 or float64.
struct PolicyTokens {
  torch::Tensor logprobs;    ///< of the policy that learns, with its graph
  torch::Tensor entropy;     ///< of its distribution
  torch::Tensor generator;   ///< log probabilities that the tokens were sampled with
  torch::Tensor reference;   ///< log probabilities of the reference policy; undefined = none
  torch::Tensor advantages;  ///< the same for all tokens of a completion
  torch::Tensor counts;      ///< bool: true for tokens of completions, which the loss is computed over
};

/// The counts that a policy's loss is divided by.
struct PolicyDivisor {
  int64_t tokens = 0;       ///< that count, in the whole update over all ranks
  int64_t completions = 0;  ///< with a token that counts, in the whole update over all ranks
  int64_t ranks = 1;        ///< with different rows
};

/// Metrics of one call, in float64. They add up over calls and ranks to the metrics of an update.
struct PolicySums {
  double tokens = 0;     ///< that count
  double terms = 0;      ///< number of ratios: one for each token; grpo_sequence: for each completion
  double ratio = 0;      ///< sum of the ratios
  double clipped = 0;    ///< ratios that clipping moved by more than 1e-6
  double diff = 0;       ///< sum of logprobs - generator
  double different = 0;  ///< tokens where |logprobs - generator| is above 1e-6
  double equal = 0;      ///< tokens where both have the same bits as float32
  double entropy = 0;    ///< sum over tokens
  double kl = 0;         ///< sum of the divergence's terms, as the loss has them
  double max_diff = 0;   ///< largest |logprobs - generator|: adds up as a maximum

  PolicySums& operator+=(const PolicySums& other);
};

struct PolicyLoss {
  torch::Tensor loss;  ///< scalar, this call's term
  PolicySums sums;
};

/// Computes a policy's loss over the tokens of one call that count. r = exp(d), d = logprobs - generator,
/// A = advantages, G = divisor.tokens.
///
/// | loss                | loss of a token                                             | source             |
/// |---------------------|-------------------------------------------------------------|--------------------|
/// | grpo, dapo          | -min(r A, clip(r) A), d clamped at 10                       | torchtitan 2026-08 |
/// | ppo                 | max(-r A, -clip(r) A), A < 0: at most -c A; d clamped at 20 | verl               |
/// | importance_sampling | -r A                                                        | Tinker             |
/// | sft                 | -logprobs                                                   |                    |
///
/// The losses of the tokens are summed and divided by G. clip(r) limits r to [1 - clip_low, 1 + clip_high],
/// and c is dual_clip. A reference policy adds kl_coef times the sum of k3 = exp(e) - e - 1 over G, where
/// e = reference - logprobs (verl).
///
/// grpo_sequence is torchtitan's loss until #2985. r_i = exp(mean over a completion's tokens of logprobs -
/// reference); without a reference, of logprobs alone. The loss is the mean over completions of
/// -min(r_i A_i, clip(r_i) A_i), plus kl_coef times the mean over completions of exp(-e) - 1 + e. Without a
/// reference r_i is usually below 0.8, so completions with A < 0 have no gradient.
///
/// PolicyNormalization::global gives the loss above, and times_dp multiplies it by divisor.ranks. rank_mean
/// is grpo_sequence over the completions of this call alone.
///
/// \param config  loss, normalization, clip_low, clip_high, dual_clip, kl_coef are read
/// \throws InternalError if G is 0
/// Source: NUMERICS.md 8.2.
PolicyLoss policy_loss(const PolicyTokens& tokens, const RlConfig& config, const PolicyDivisor& divisor);

}  // namespace parity::reference
