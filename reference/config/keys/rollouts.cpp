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
      key("rl.group_sizes", PARITY_AT(rl.group_sizes),
          "rollouts: completions of the first prompt of an update, of the second, and so on, in turn; the "
          "last group ends with the update; [] = rl.group_size for each."),
      key("rl.packing", PARITY_AT(rl.packing),
          "rollouts: none: one a row; masked: rl.completions rollouts in data.global_batch rows, each in the "
          "first row with room; positions restart, and attention.documents keeps them apart; leaking: the "
          "same "
          "without a mask, as a planted defect."),
      key("rl.completions", PARITY_AT(rl.completions),
          "rl.packing: completions of an update; 0 = data.global_batch."),
      key("rl.max_new_tokens", PARITY_AT(rl.max_new_tokens), "rollouts: tokens of the longest completion."),
      key("rl.temperature", PARITY_AT(rl.temperature),
          "rollouts: temperature of sampling; 0 = always the likeliest token."),
      key("rl.overlong_buffer", PARITY_AT(rl.overlong_buffer),
          "rollouts: a completion of n tokens loses (n - (max_new_tokens - buffer)) / buffer of its reward "
          "if "
          "that is positive (DAPO's soft punishment); 0 = none."),
  };
}

std::vector<Key> policy_loss_keys() {
  return {
      key("rl.advantage", PARITY_AT(rl.advantage),
          "rollouts: reward minus its group's mean: mean (Dr. GRPO); also divided by the group's deviation + "
          "1e-6: "
          "population_std (torchtitan), sample_std (verl; a group of one has A = reward)."),
      key("rl.deviation", PARITY_AT(rl.deviation),
          "rl.advantage = population_std, sample_std: the deviation of the rewards of a completion's group, "
          "or "
          "of the whole update (Lite PPO)."),
      key("rl.loss", PARITY_AT(rl.loss),
          "rollouts: grpo, dapo: clipped surrogate per token; ppo: with dual clip; importance_sampling: not "
          "clipped; grpo_sequence: per completion, from mean log probabilities, as in torchtitan at first; "
          "sft: "
          "cross entropy of the completions; gspo: the ratio of a completion, clipped; cispo: log "
          "probabilities "
          "weighed by clipped ratios without gradient; dpo: preferred against other completions of a "
          "prompt."),
      key("rl.normalization", PARITY_AT(rl.normalization),
          "rollouts: global: divided by the tokens (grpo_sequence: completions) of the update over all "
          "ranks; "
          "times_dp: this, times the data-parallel ranks, which then average (verl); rank_mean: "
          "grpo_sequence's "
          "mean over a rank's own completions of a micro-batch, ranks added (torchtitan at first); "
          "sequence_mean: mean over a completion's tokens, then over completions (GRPO's paper); constant: "
          "divided by completions times rl.max_new_tokens (Dr. GRPO); prompt_mean: mean over the tokens of "
          "all "
          "completions of a prompt, then over prompts (DAPO's equation 8, read for each prompt)."),
      key("rl.clip_low", PARITY_AT(rl.clip_low),
          "rollouts: ratios are clipped at 1 - clip_low; 0 = the loss's own: 0.2, of gspo 3e-4, of cispo 1."),
      key("rl.clip_high", PARITY_AT(rl.clip_high),
          "rollouts: ratios are clipped at 1 + clip_high; 0 = the loss's own: 0.2, of dapo 0.28, of gspo "
          "4e-4."),
      key("rl.dual_clip", PARITY_AT(rl.dual_clip),
          "ppo: largest ratio that counts if the advantage is negative."),
      key("rl.kl_coef", PARITY_AT(rl.kl_coef),
          "rollouts: weight of the divergence from the reference, which is the first policy."),
      key("rl.dpo_beta", PARITY_AT(rl.dpo_beta),
          "dpo: weight of the difference of both completions' log ratios to the reference."),
      key("rl.correction", PARITY_AT(rl.correction),
          "rollouts: ratios are taken to the trainer's own probabilities, and each term is weighed by "
          "trainer "
          "over generator: truncate: at most rl.correction_cap (TIS); mask: 0 out of rl.correction_floor to "
          "rl.correction_cap (IcePop, MIS); none: ratios are taken to the generator's."),
      key("rl.correction_level", PARITY_AT(rl.correction_level),
          "rl.correction: a weight for each token, or the product over its completion."),
      key("rl.correction_cap", PARITY_AT(rl.correction_cap), "rl.correction: largest weight."),
      key("rl.correction_floor", PARITY_AT(rl.correction_floor),
          "rl.correction = mask: smallest weight that is not masked."),
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
      key("rl.loop", PARITY_AT(rl.loop),
          "rollouts: synchronous: each update learns from the last pushed policy; asynchronous: from the one "
          "rl.staleness updates before, as if the generator ran ahead of the trainer by so many updates."),
      key("rl.staleness", PARITY_AT(rl.staleness),
          "rl.loop = asynchronous: versions by which the generator is behind; each version is pushed once."),
      key("rl.max_lag", PARITY_AT(rl.max_lag),
          "rollouts: versions by which a rollout's policy may lag the trainer's; 0 = rl.push_every - 1 + "
          "rl.staleness."),
      key("rl.push_omits", PARITY_AT(rl.push_omits),
          "rollouts: names of weights that only the first push brings, as a planted defect of a weight "
          "sync."),
      key("rl.pull", PARITY_AT(rl.pull),
          "rollouts: newest: the generator serves the weights of the last push; stale: those of the push "
          "before, "
          "stamped with the new version, as a planted defect of a weight sync."),
      key("rl.bill", PARITY_AT(rl.bill),
          "rollouts: whether each update splits the gap of log probabilities between trainer and generator "
          "into "
          "its causes, as channels gap...: the generator's dtype, each part's weights, arithmetic. One "
          "process "
          "only."),
      key("rl.largest_gap", PARITY_AT(rl.largest_gap),
          "imported rollouts: largest difference in nats of a token's log probability from the policy's that "
          "is said to have written it; a larger one ends the run; 0 = any."),
  };
}

std::vector<Key> generator_keys() {
  return {
      key("rl.generator.ranks", PARITY_AT(rl.generator.ranks),
          "rollouts: ranks after those of parallel.* that only generate, with weights pushed to them; 0 = "
          "the "
          "trainer's ranks generate too."),
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
