// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <torch/types.h>

#include "reference/config/run_config.hpp"

namespace parity::reference {

/// What a policy's loss is made of: numbers a token, [B, S]; float32 or float64 but `counts`.
struct PolicyTokens {
  torch::Tensor logprobs;    ///< of the policy that learns, with its graph
  torch::Tensor entropy;     ///< of its distribution
  torch::Tensor generator;   ///< log probabilities that the tokens were sampled with
  torch::Tensor reference;   ///< log probabilities of the reference policy; undefined = there is none
  torch::Tensor advantages;  ///< the same for all tokens of a completion
  torch::Tensor counts;      ///< bool: tokens of completions, that the loss is of
};

/// By what a loss is divided.
struct PolicyDivisor {
  int64_t tokens = 0;       ///< that count, in the whole update over all ranks
  int64_t completions = 0;  ///< likewise, that have such a token
  int64_t ranks = 1;        ///< with different rows
};

/// Numbers of one call that add up over calls and ranks to those of an update, all float64.
struct PolicySums {
  double tokens = 0;     ///< that count
  double terms = 0;      ///< ratios that were taken: tokens, of grpo_sequence completions
  double ratio = 0;      ///< sum of them
  double clipped = 0;    ///< ratios that clipping moved by more than 1e-6
  double diff = 0;       ///< sum of logprobs - generator
  double different = 0;  ///< tokens where that is beyond 1e-6
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

/// A policy's loss over the tokens of one call. r = exp(d), d = logprobs - generator, A = advantages,
/// G = divisor.tokens, sums over the tokens that count.
///
/// | loss                | loss of a token                                               | source |
/// |---------------------|---------------------------------------------------------------|---------------------|
/// | grpo, dapo          | -min(r A, clip(r) A), d clamped at 10                         | torchtitan 2026-08
/// | | ppo                 | max(-r A, -clip(r) A), A < 0: at most -c A; d clamped at 20   | verl | |
/// importance_sampling | -r A                                                          | Tinker | | sft |
/// -logprobs                                                     |                     |
///
/// summed and divided by G; clip(r) = r cut to [1 - clip_low, 1 + clip_high]; c = dual_clip. With a reference
/// kl_coef times the sum of k3 = exp(e) - e - 1, e = reference - logprobs, over G is added (verl).
///
/// grpo_sequence, torchtitan until #2985: r_i = exp(mean over a completion's tokens of logprobs - reference),
/// without a reference of logprobs; -min(r_i A_i, clip(r_i) A_i) and kl_coef times the mean of
/// exp(-e) - 1 + e, each a mean over completions. Without a reference r_i < 0.8 as a rule, so that
/// completions with A < 0 have no gradient.
///
/// PolicyNormalization::global: as above. times_dp: times divisor.ranks. rank_mean: grpo_sequence over the
/// completions of this call alone.
///
/// \param config  loss, normalization, clip_low, clip_high, dual_clip, kl_coef are read
/// \throws InternalError if G is 0
/// Source: NUMERICS.md 8.2.
PolicyLoss policy_loss(const PolicyTokens& tokens, const RlConfig& config, const PolicyDivisor& divisor);

}  // namespace parity::reference
