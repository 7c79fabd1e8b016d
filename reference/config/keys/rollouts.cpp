// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
// Keys of a policy that learns from rollouts: `rl.*`.
#include "reference/config/keys/rows.hpp"
#include "reference/config/keys/sections.hpp"

namespace parity::reference::rows {

std::vector<Key> rollout_keys() {
  return {
      key("rl.digits", PARITY_AT(rl.digits),
          "rollouts: digits of a prompt; the right completion is their sum in decimal digits."),
      key("rl.group_size", PARITY_AT(rl.group_size),
          "rollouts: completions of each prompt, whose rewards form a group; divides data.global_batch."),
      key("rl.max_new_tokens", PARITY_AT(rl.max_new_tokens), "rollouts: tokens of the longest completion."),
      key("rl.temperature", PARITY_AT(rl.temperature),
          "rollouts: temperature of sampling; 0 = always the likeliest token."),
  };
}

std::vector<Key> policy_loss_keys() {
  return {
      key("rl.advantage", PARITY_AT(rl.advantage),
          "rollouts: reward minus its group's mean: mean (Dr. GRPO); also divided by the group's deviation + "
          "1e-6: "
          "population_std (torchtitan), sample_std (verl; a group of one has A = reward)."),
      key("rl.loss", PARITY_AT(rl.loss),
          "rollouts: grpo, dapo: clipped surrogate per token; ppo: with dual clip; importance_sampling: not "
          "clipped; grpo_sequence: per completion, from mean log probabilities, as in torchtitan at first; "
          "sft: "
          "cross entropy of the completions."),
      key("rl.normalization", PARITY_AT(rl.normalization),
          "rollouts: global: divided by the tokens (grpo_sequence: completions) of the update over all "
          "ranks; "
          "times_dp: this, times the data-parallel ranks, which then average (verl); rank_mean: "
          "grpo_sequence's "
          "mean over a rank's own completions of a micro-batch, ranks added (torchtitan at first)."),
      key("rl.clip_low", PARITY_AT(rl.clip_low),
          "rollouts: ratios are clipped at 1 - clip_low; 0 = the loss's own, 0.2."),
      key("rl.clip_high", PARITY_AT(rl.clip_high),
          "rollouts: ratios are clipped at 1 + clip_high; 0 = the loss's own, 0.2, of dapo 0.28."),
      key("rl.dual_clip", PARITY_AT(rl.dual_clip),
          "ppo: largest ratio that counts if the advantage is negative."),
      key("rl.kl_coef", PARITY_AT(rl.kl_coef),
          "rollouts: weight of the divergence from the reference, which is the first policy."),
      key("rl.reference", PARITY_AT(rl.reference),
          "rollouts: whether the first policy is kept as reference: when_weighted (rl.kl_coef > 0), always, "
          "never. grpo_sequence computes its ratios to the reference, or without one to probability 1."),
      key("rl.logprobs", PARITY_AT(rl.logprobs),
          "rollouts: how log probabilities are computed from whole logits: cross_entropy (torchtitan "
          "2026-08) or "
          "log_softmax and gather (until then)."),
      key("rl.unknown_logprobs", PARITY_AT(rl.unknown_logprobs),
          "rollouts: a token whose generator's log probability is not finite ends the run (error) or is left "
          "out of the loss and its divisor (drop)."),
  };
}

std::vector<Key> controller_keys() {
  return {
      key("rl.controller_lr", PARITY_AT(rl.controller_lr),
          "rollouts: learning rate that the controller passes to each optim_step; 0 = the trainer's "
          "schedule."),
      key("rl.push", PARITY_AT(rl.push),
          "rollouts: how weights reach the generator: direct, from shards to shards; gathered, through the "
          "whole state dict."),
      key("rl.push_every", PARITY_AT(rl.push_every), "rollouts: updates between two pushes."),
      key("rl.max_lag", PARITY_AT(rl.max_lag),
          "rollouts: versions by which a rollout's policy may lag the trainer's; 0 = rl.push_every - 1."),
  };
}

std::vector<Key> generator_keys() {
  return {
      key("rl.generator.tp", PARITY_AT(rl.generator.tp),
          "rollouts: ranks that each hold a shard of the generator's matrices; other ranks generate for "
          "other prompts."),
      key("rl.generator.dtype", PARITY_AT(rl.generator.dtype),
          "rollouts: dtype of the generator's weights and of pushed weights: the trainer's, or bfloat16."),
      key("rl.generator.cache", PARITY_AT(rl.generator.cache),
          "rollouts: keep keys and values of earlier tokens, or compute all of them again for each token."),
      key("rl.generator.max_sequences", PARITY_AT(rl.generator.max_sequences),
          "rollouts: sequences that are generated at a time."),
      key("rl.generator.max_tokens", PARITY_AT(rl.generator.max_tokens),
          "rollouts: tokens per pass of the generator; longer prompts take several passes."),
  };
}

}  // namespace parity::reference::rows
