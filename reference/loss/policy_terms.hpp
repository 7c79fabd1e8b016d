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
  /// int64: tokens that count, on all ranks, of the row's completion. If shares_by_token(): of the token's
  /// completion, with prompt_mean of its prompt. Undefined = neither mean is asked
  torch::Tensor lengths = {};
};

/// The counts that a policy's loss is divided by.
struct PolicyDivisor {
  int64_t tokens = 0;       ///< that count, in the whole update over all ranks
  int64_t completions = 0;  ///< with a token that counts, in the whole update over all ranks
  int64_t prompts = 0;      ///< with a token that counts, in the whole update over all ranks
  int64_t ranks = 1;        ///< with different rows
  int64_t pairs = 0;        ///< completions with a positive advantage: preferred ones, of dpo
};

/// Metrics of one call, in float64. They add up over calls and ranks to the metrics of an update.
struct PolicySums {
  double tokens = 0;      ///< that count
  double terms = 0;       ///< number of ratios: one for each token; grpo_sequence, gspo: for each completion
  double ratio = 0;       ///< sum of the ratios
  double clipped = 0;     ///< ratios that clipping moved by more than 1e-6
  double diff = 0;        ///< sum of logprobs - generator
  double different = 0;   ///< tokens where |logprobs - generator| is above 1e-6
  double equal = 0;       ///< tokens where both have the same bits as float32
  double entropy = 0;     ///< sum over tokens
  double kl = 0;          ///< sum of the divergence's terms, as the loss has them
  double correction = 0;  ///< sum of the correction's weights
  double cut = 0;         ///< tokens whose weight was truncated or masked
  double pairs = 0;       ///< of dpo, with a preference
  double margin = 0;      ///< of dpo: sum over pairs
  double preferred = 0;   ///< pairs with a positive margin
  double max_diff = 0;    ///< largest |logprobs - generator|: adds up as a maximum

  PolicySums& operator+=(const PolicySums& other);
};

struct PolicyLoss {
  torch::Tensor loss;  ///< scalar, this call's term
  PolicySums sums;
};

/// Metrics ignore smaller differences.
constexpr double shown_difference = 1e-6;

/// Returns whether tokens of a row differ in what divides them, so that each is divided by itself.
bool shares_by_token(const RlConfig& config);

/// Bounds of a ratio.
struct Clip {
  double low, high;
};

/// Returns the config's bounds, or the loss's own where the config gives none.
Clip clip_of(const RlConfig& config);

/// Returns the sum of all elements in float64.
double total(const torch::Tensor& x);

/// Adds ratios, and those that clipping moved, to the metrics.
void count_ratios(PolicySums& sums, const torch::Tensor& ratio, const torch::Tensor& clipped);

/// Terms of the divergence from the reference policy, k3 = exp(e) - e - 1 with e = reference - logprobs, both
/// clamped as verl does; 0 where a token does not count. [B, S]
torch::Tensor divergence_terms(const PolicyTokens& tokens);

}  // namespace parity::reference
