// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace parity::reference {

/// Metrics of a policy's rollouts over all ranks, of one call of forward_backward() or of a whole update.
/// Means are over the tokens that count unless a comment says otherwise.
struct PolicyMetrics {
  double loss = 0;                ///< of the calls, as it was differentiated
  double ratio_mean = 0;          ///< over completions for grpo_sequence
  double ratio_clipped = 0;       ///< share of the ratios that clipping moved by more than 1e-6
  double logprob_diff_mean = 0;   ///< the trainer's minus the generator's
  double logprob_diff_max = 0;    ///< largest absolute difference
  double logprobs_different = 0;  ///< share of tokens that differ by more than 1e-6
  double logprobs_equal = 0;      ///< share of tokens with the same bits as float32
  double entropy = 0;             ///< nats
  std::optional<double> kl;       ///< from the reference policy, if there is one
  std::optional<double> correction_mean, correction_cut;         ///< set with rl.correction
  std::optional<double> preference_margin, preference_accuracy;  ///< over pairs; set with dpo
  double advantage_mean = 0;                                     ///< over completions
  double advantage_std = 0;  ///< over completions, of a sample; 0 for one completion
};

/// What one update of a policy measured beyond its StepResult.
struct PolicyResult {
  PolicyMetrics metrics;
  double reward_mean = 0;                 ///< over completions
  double reward_exact = 0;                ///< share of completions with the full reward
  double response_length = 0;             ///< mean tokens of a completion, its end counted
  int64_t rollout_digest = 0;             ///< of prompts and completions
  int64_t version_lag = 0;                ///< trainer's version minus that of the oldest rollout's policy
  std::optional<int64_t> served_version;  ///< that wrote the rollouts; set with rl.generator.ranks
  double generated_tokens_per_second = 0;
  std::optional<double> rollouts_checked;  ///< share of imported tokens; set with rl.largest_gap
  std::map<std::string, double> gap;       ///< channels gap... [nats per token]; empty without rl.bill
  std::optional<double> push_seconds;      ///< set if weights were pushed
};

}  // namespace parity::reference
