// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace parity::reference {

/// What forward_backward says of a policy's rollouts, over all ranks. Of one call or of an update.
/// Means are over the tokens that count unless said otherwise.
struct PolicyMetrics {
  double loss = 0;                ///< of the calls, as it was differentiated
  double ratio_mean = 0;          ///< of grpo_sequence over completions
  double ratio_clipped = 0;       ///< share of the ratios that clipping moved by more than 1e-6
  double logprob_diff_mean = 0;   ///< the trainer's less the generator's
  double logprob_diff_max = 0;    ///< largest distance
  double logprobs_different = 0;  ///< share of tokens further apart than 1e-6
  double logprobs_equal = 0;      ///< share of tokens with the same bits as float32
  double entropy = 0;             ///< nats
  std::optional<double> kl;       ///< from the reference policy, where there is one
  double advantage_mean = 0;      ///< over completions
  double advantage_std = 0;       ///< likewise, of a sample; 0 of one completion
};

/// What an update of a policy came from and went to, besides.
struct PolicyResult {
  PolicyMetrics metrics;
  double reward_mean = 0;      ///< over completions
  double reward_exact = 0;     ///< share of completions with the full reward
  double response_length = 0;  ///< mean tokens of a completion, its end counted
  int64_t rollout_digest = 0;  ///< of prompts and completions
  int64_t version_lag = 0;     ///< of the oldest rollout's policy behind the trainer's
  double generated_tokens_per_second = 0;
  std::optional<double> push_seconds;  ///< where weights were pushed
};

}  // namespace parity::reference
