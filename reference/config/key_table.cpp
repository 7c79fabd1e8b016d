// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
// The table of keys: one row each, in the order in which they are told. Those of the model are in
// key_table_model.cpp.
#include "reference/config/key_row.hpp"

namespace parity::reference {
namespace {

std::vector<Key> run_keys() {
  using rows::key;
  return {
      key("steps", PARITY_AT(steps), "Optimizer updates."),
      key("seed", PARITY_AT(seed), "Seed of the weights' random generator."),
      rows::not_numeric(key(
          "weights.path", PARITY_AT(weights.path),
          "First weights in place of drawn ones: a safetensors file, or a folder of them, with the names of "
          "torchtitan, of either era, or of Hugging Face.")),
      key("dtype", PARITY_AT(dtype),
          "Type of parameters, activations and optimizer state; float64 is the twin."),
      key("device", PARITY_AT(device),
          "What the step is computed on; cuda needs an NVIDIA GPU for each rank, and NCCL joins them."),
      key("data.source", PARITY_AT(data.source), "Where tokens come from."),
      rows::not_numeric(
          key("data.path", PARITY_AT(data.path), "The UTF-8 file of data.source = text, or the token file.")),
      key("data.packing", PARITY_AT(data.packing),
          "none: sequences are cut from one stream; stream: documents in one stream, cut into seq_len + 1 "
          "(EOS era); concat_then_split, first_fit: inputs and labels a document, joined and cut, or whole "
          "with padding."),
      key("data.positions", PARITY_AT(data.positions),
          "sequence: 0 to seq_len - 1; document: from 0 in each packed document."),
      key("data.context_length", PARITY_AT(data.context_length),
          "Positions of a longer document start over after so many; 0 = data.seq_len."),
      key("data.document_tokens", PARITY_AT(data.document_tokens),
          "Mean length of a synthetic document, without marks; lengths vary from 2 to twice as many."),
      key("data.eos_id", PARITY_AT(data.eos_id),
          "The token that ends a document; -1 = none, or the byte tokenizer's for text."),
      key("data.newline_id", PARITY_AT(data.newline_id), "A token after each EOS; -1 = none."),
      key("data.seq_len", PARITY_AT(data.seq_len), "Tokens a sequence."),
      key("data.global_batch", PARITY_AT(data.global_batch), "Sequences an update."),
      key("data.micro_batches", PARITY_AT(data.micro_batches),
          "Forward and backward passes an update; divides data.global_batch."),
      key("data.seed", PARITY_AT(data.seed), "Seed of the synthetic corpus and of ignored labels."),
      key("data.ignore_fraction", PARITY_AT(data.ignore_fraction),
          "Mean share of labels set to -100, as a prefix of each sequence whose length varies, 0 to 0.5."),
      key("rl.digits", PARITY_AT(rl.digits),
          "rollouts: digits of a prompt; the completion is to be their sum in decimal digits."),
      key("rl.group_size", PARITY_AT(rl.group_size),
          "rollouts: completions of each prompt, whose rewards make a group; divides data.global_batch."),
      key("rl.max_new_tokens", PARITY_AT(rl.max_new_tokens), "rollouts: longest completion."),
      key("rl.temperature", PARITY_AT(rl.temperature),
          "rollouts: of sampling; 0 = always the likeliest token."),
      key("rl.advantage", PARITY_AT(rl.advantage),
          "rollouts: reward less its group's mean: mean (Dr. GRPO); divided by the group's deviation + 1e-6: "
          "population_std (torchtitan), sample_std (verl; a group of one has A = reward)."),
      key("rl.loss", PARITY_AT(rl.loss),
          "rollouts: grpo, dapo: clipped surrogate a token; ppo: with dual clip; importance_sampling: not "
          "clipped; grpo_sequence: of mean log probabilities a completion, as torchtitan first had it; sft: "
          "cross entropy of the completions."),
      key("rl.normalization", PARITY_AT(rl.normalization),
          "rollouts: global: divided by the tokens (grpo_sequence: completions) of the update over all "
          "ranks; "
          "times_dp: that times the data-parallel ranks, which then average (verl); rank_mean: "
          "grpo_sequence's "
          "mean over a rank's own completions of a micro-batch, ranks added (torchtitan at first)."),
      key("rl.clip_low", PARITY_AT(rl.clip_low),
          "rollouts: ratios are clipped at 1 - clip_low; 0 = the loss's own, 0.2."),
      key("rl.clip_high", PARITY_AT(rl.clip_high),
          "rollouts: ratios are clipped at 1 + clip_high; 0 = the loss's own, 0.2, of dapo 0.28."),
      key("rl.dual_clip", PARITY_AT(rl.dual_clip),
          "ppo: largest ratio that counts where the advantage is negative."),
      key("rl.kl_coef", PARITY_AT(rl.kl_coef),
          "rollouts: weight of the divergence from the first policy, the reference."),
      key("rl.reference", PARITY_AT(rl.reference),
          "rollouts: whether the first policy is kept as reference: when_weighted (rl.kl_coef > 0), always, "
          "never. grpo_sequence takes its ratios to it, or without one to certainty."),
      key("rl.logprobs", PARITY_AT(rl.logprobs),
          "rollouts: how log probabilities come from whole logits: cross_entropy (torchtitan 2026-08) or "
          "log_softmax and gather (until then)."),
      key("rl.unknown_logprobs", PARITY_AT(rl.unknown_logprobs),
          "rollouts: a token whose generator's log probability is not finite ends the run (error) or leaves "
          "the loss and its divisor (drop)."),
      key("rl.controller_lr", PARITY_AT(rl.controller_lr),
          "rollouts: learning rate that the controller hands to each optim_step; 0 = the trainer's "
          "schedule."),
      key("rl.push", PARITY_AT(rl.push),
          "rollouts: how weights come to the generator: direct, from parts to parts; gathered, by way of the "
          "whole state dict."),
      key("rl.push_every", PARITY_AT(rl.push_every), "rollouts: updates between two pushes."),
      key("rl.max_lag", PARITY_AT(rl.max_lag),
          "rollouts: versions that a rollout's policy may be behind the trainer's; 0 = rl.push_every - 1."),
      key("rl.generator.tp", PARITY_AT(rl.generator.tp),
          "rollouts: ranks that share each matrix of the generator; the others generate for other prompts."),
      key("rl.generator.dtype", PARITY_AT(rl.generator.dtype),
          "rollouts: type of the generator's weights, and of what is pushed: the trainer's, or bfloat16."),
      key("rl.generator.cache", PARITY_AT(rl.generator.cache),
          "rollouts: keep keys and values of earlier tokens, or compute all of them for each token."),
      key("rl.generator.max_sequences", PARITY_AT(rl.generator.max_sequences),
          "rollouts: sequences that are generated at a time."),
      key("rl.generator.max_tokens", PARITY_AT(rl.generator.max_tokens),
          "rollouts: tokens of a pass of the generator; longer prompts go through in pieces."),
      key("attention.backend", PARITY_AT(attention.backend),
          "sdpa: causal only; flex: any mask in blocks of 128 x 128, empty blocks skipped; varlen: document "
          "by "
          "document; dense: every pair, with a mask of S x S; tiled: as varlen, keys in tiles of 16 in "
          "order, so "
          "that a query's bits depend on its own sequence alone (CPU)."),
      key("attention.documents", PARITY_AT(attention.documents),
          "What ends a document that attention may not leave: eos, position_difference (Hugging Face, verl) "
          "or "
          "position_zero (torchtitan); empty = causal over the whole sequence."),
      key("attention.sliding_window", PARITY_AT(attention.sliding_window),
          "Keys that a query may look at, itself counted: the window - 1 before it; 0 = all."),
      key("attention.fixed_block", PARITY_AT(attention.fixed_block),
          "Tokens of the blocks, counted from the beginning of a row, that attention may not leave (iRoPE); "
          "0 = none."),
      key("attention.fixed_block_form", PARITY_AT(attention.fixed_block_form),
          "corrected: the other rules hold inside a block too; first_written: they are asked about places "
          "counted "
          "from the block's beginning, as torchtitan did until #1776; chunked: blocks are counted from "
          "behind a row's "
          "left padding (Hugging Face)."),
      key("loss.normalization", PARITY_AT(loss.normalization),
          "global_tokens: sum over valid tokens of the update; microbatch_mean: mean of micro-batch means; "
          "gradient_scaling: unnormalised sums, all gradients divided by the tokens at the end."),
      key("loss.accumulation", PARITY_AT(loss.accumulation),
          "prefetched: all micro-batches of an update are fetched before its first forward pass; streamed: "
          "one "
          "at a time, with gradient_scaling only."),
      key("loss.chunks", PARITY_AT(loss.chunks),
          "Chunks of tokens in which a micro-batch goes through output projection and loss; 0 = all at "
          "once."),
      key("optimizer.name", PARITY_AT(optimizer.name), "The optimizer."),
      key("optimizer.implementation", PARITY_AT(optimizer.implementation),
          "fused: one kernel for all tensors; plain: one tensor after another with ordinary operations."),
      key("optimizer.beta1", PARITY_AT(optimizer.beta1), "AdamW: decay of the first moment."),
      key("optimizer.beta2", PARITY_AT(optimizer.beta2), "AdamW: decay of the second moment."),
      key("optimizer.eps", PARITY_AT(optimizer.eps), "AdamW: added to the root of the second moment."),
      key("optimizer.weight_decay", PARITY_AT(optimizer.weight_decay),
          "AdamW: decoupled decay; SGD: added to the gradient; on all parameters."),
      key("optimizer.weight_decay_ramp", PARITY_AT(optimizer.weight_decay_ramp),
          "megatron: how weight decay rises from optimizer.weight_decay_start to optimizer.weight_decay over "
          "the run."),
      key("optimizer.weight_decay_start", PARITY_AT(optimizer.weight_decay_start),
          "megatron: weight decay of the first update where a ramp is set."),
      key("optimizer.momentum", PARITY_AT(optimizer.momentum), "SGD: momentum."),
      key("clip.max_norm", PARITY_AT(clip.max_norm), "Gradients are scaled down to this L2 norm; 0 = never."),
      key("lr.base", PARITY_AT(lr.base), "Learning rate at factor 1."),
      key("lr.schedule", PARITY_AT(lr.schedule), "Family of the learning-rate schedule."),
      key("lr.warmup_steps", PARITY_AT(lr.warmup_steps), "Updates of warmup."),
      key("lr.warmup", PARITY_AT(lr.warmup),
          "deepspeed: shape of the warmup; DeepSpeed's own default is log."),
      key("lr.init_factor", PARITY_AT(lr.init_factor),
          "verl_cosine, megatron, deepspeed with cosine: share of lr.base that warmup starts from."),
      key("lr.total_steps", PARITY_AT(lr.total_steps), "Length of the curve; 0 = steps."),
      key("lr.decay", PARITY_AT(lr.decay),
          "Shape of the decay. titan: linear, sqrt, cosine; megatron: all but sqrt; deepspeed: linear, "
          "cosine, constant."),
      key("lr.decay_ratio", PARITY_AT(lr.decay_ratio),
          "titan: share of the curve that decays; -1 = everything after warmup."),
      key("lr.min_factor", PARITY_AT(lr.min_factor),
          "titan, verl_cosine, megatron, deepspeed: share of lr.base that the decay ends at; DeepSpeed's own "
          "default with cosine is 1e-4."),
      key("lr.num_cycles", PARITY_AT(lr.num_cycles),
          "hugging_face_cosine, verl_cosine: waves of the cosine; 0.5 falls once."),
      key("lr.wsd_steps", PARITY_AT(lr.wsd_steps), "megatron with decay wsd: updates of the final decay."),
      key("lr.wsd_decay", PARITY_AT(lr.wsd_decay), "megatron with decay wsd: shape of the final decay."),
      rows::with_values(key("lr.first_index", PARITY_AT(lr.first_index),
                            "warmup_linear: the number of the first update, 1 (titan) or 0 (Hugging Face)."),
                        {"0", "1"}),
      key("train.update", PARITY_AT(train.update),
          "step: the trainer's own update; halves: forward_backward for each micro-batch and optim_step, "
          "called from outside; halves_zeroing: each forward_backward drops the gradients first."),
      key("train.evaluate", PARITY_AT(train.evaluate),
          "After each update, the loss of the data's first data.global_batch rows, without gradients: the "
          "channel eval_loss."),
      key("train.autocast", PARITY_AT(train.autocast),
          "Runs forward and loss under autocast: matrix products and attention in bfloat16, the rest in "
          "float32. No effect, and a warning, with FSDP or tensor parallel."),
      key("train.float8", PARITY_AT(train.float8),
          "Rounds the weights of the blocks' matrices to float8 (e4m3) where they are used, a scale each, "
          "from "
          "their largest element: worked out at each_forward; after_update, all at once (torchtitan's "
          "post-optimizer hook); or of the first weights only, which is stale from update 2 on. None in a "
          "float64 twin."),
      key("train.batch_invariant", PARITY_AT(train.batch_invariant),
          "A token's bits in the forward pass depend on its own sequence alone, not on the batch: matrix "
          "products in tiles of a fixed number of tokens; with attention.backend = \"tiled\" only."),
      key("parallel.dp_replicate", PARITY_AT(parallel.dp_replicate),
          "Copies of the model, which share the rows of an update among them."),
      key("parallel.dp_shard", PARITY_AT(parallel.dp_shard),
          "Ranks that hold a part of each parameter of a copy (FSDP) and share its rows; with "
          "parallel.dp_replicate > 1 it is HSDP."),
      key("parallel.cp", PARITY_AT(parallel.cp),
          "Ranks that share each sequence (context parallel): each has two of 2 cp chunks, and gathers the "
          "keys "
          "and values of all."),
      key("parallel.tp", PARITY_AT(parallel.tp),
          "Ranks that hold a part of each matrix and compute for the same rows (tensor parallel); divides "
          "the query and the key heads."),
      key("parallel.ep", PARITY_AT(parallel.ep),
          "Ranks of dp_shard x cp that hold a part of the experts each, and exchange the tokens that go to "
          "them (expert parallel)."),
      key("parallel.sequence_parallel", PARITY_AT(parallel.sequence_parallel),
          "Tensor parallel: the residual stream and its norms are cut along the sequence too."),
      key("parallel.loss_parallel", PARITY_AT(parallel.loss_parallel),
          "Tensor parallel: the loss is taken of logits of which each rank keeps its part of the "
          "vocabulary."),
      key("parallel.replicate_with", PARITY_AT(parallel.replicate_with),
          "all_reduce: one all-reduce a parameter; flat_all_reduce: one a unit, of its gradients one after "
          "the "
          "other; hsdp: HSDP over (dp_replicate, 1), which reduces the same buffers."),
      key("parallel.reshard_after_forward", PARITY_AT(parallel.reshard_after_forward),
          "FSDP: whose gathered parameters are dropped after forward, to be gathered again for backward."),
      key("parallel.gradient_reduction", PARITY_AT(parallel.gradient_reduction),
          "sum: ranks' gradients are added; average: divided by the number of data-parallel ranks too, as "
          "torchtitan did until #2206 and DDP does. Makes microbatch_mean the mean of the ranks' own "
          "micro-batches."),
      key("parallel.sync", PARITY_AT(parallel.sync),
          "last: micro-batches add up on their rank and are reduced after the last; each: every "
          "micro-batch's gradients are reduced, then added."),
      key("parallel.pp", PARITY_AT(parallel.pp),
          "Ranks that hold consecutive blocks each; a micro-batch goes through them one after the other "
          "(pipeline parallel)."),
      key("parallel.pp_schedule", PARITY_AT(parallel.pp_schedule),
          "gpipe: all forward, then all backward; 1f1b: backward as soon as it can; interleaved: 1f1b over "
          "parallel.pp_stages stages of each rank."),
      key("parallel.pp_microbatches", PARITY_AT(parallel.pp_microbatches),
          "Pieces of rows that each micro-batch is cut into for the pipeline."),
      key("parallel.pp_stages", PARITY_AT(parallel.pp_stages),
          "interleaved: stages of each rank; stage s lies on rank s modulo parallel.pp."),
      key("parallel.pp_masks", PARITY_AT(parallel.pp_masks),
          "split: a mask is made of the whole micro-batch and cut with its rows; own: each piece has its "
          "own; "
          "held: each piece finds the whole one's first rows, as where a module held it (torchtitan #1723)."),
      key("parallel.mixed_precision", PARITY_AT(parallel.mixed_precision),
          "Policy of FSDP units, replicate_with = \"hsdp\" among them: bf16 gathers parameters in bfloat16 "
          "for "
          "forward and backward, reduces gradients and updates in float32. None in a float64 twin."),
      key("parallel.activation_checkpointing", PARITY_AT(parallel.activation_checkpointing),
          "Blocks whose activations are dropped and computed again in backward: none, full (all), or every "
          "parallel.activation_checkpointing_every-th. Also on one rank."),
      key("parallel.activation_checkpointing_every", PARITY_AT(parallel.activation_checkpointing_every),
          "k of activation_checkpointing = \"every\": blocks k - 1, 2 k - 1, ..."),
      key("checkpoint.restart_after", PARITY_AT(checkpoint.restart_after),
          "Ends the process after this update and goes on in a new one from a checkpoint; 0 = never."),
      key("checkpoint.resume_dp_replicate", PARITY_AT(checkpoint.resume_dp_replicate),
          "parallel.dp_replicate of the process that goes on; 0 = the same."),
      key("checkpoint.resume_dp_shard", PARITY_AT(checkpoint.resume_dp_shard),
          "parallel.dp_shard of the process that goes on; 0 = the same."),
      key("checkpoint.resume_tp", PARITY_AT(checkpoint.resume_tp),
          "parallel.tp of the process that goes on; 0 = the same."),
      key("checkpoint.resume_cp", PARITY_AT(checkpoint.resume_cp),
          "parallel.cp of the process that goes on; 0 = the same."),
      key("checkpoint.resume_pp", PARITY_AT(checkpoint.resume_pp),
          "parallel.pp of the process that goes on; 0 = the same."),
      key("checkpoint.resume_ep", PARITY_AT(checkpoint.resume_ep),
          "parallel.ep of the process that goes on; 0 = the same."),
      key("checkpoint.exclude_from_loading", PARITY_AT(checkpoint.exclude_from_loading),
          "Parts that a resumed run starts anew instead of loading."),
      key("threads", PARITY_AT(threads), "Threads within an operator; they change the order of sums."),
  };
}

std::vector<Key> make_keys() {
  std::vector<Key> all = model_keys();
  for (Key& row : run_keys())
    all.push_back(std::move(row));
  return all;
}

}  // namespace

const std::vector<Key>& keys() {
  static const std::vector<Key> table = make_keys();
  return table;
}

}  // namespace parity::reference
