// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
// Keys of the mesh of ranks and of what runs on it.
#include "reference/config/keys/rows.hpp"
#include "reference/config/keys/sections.hpp"

namespace parity::reference::rows {

std::vector<Key> parallel_keys() {
  return {
      key("parallel.dp_replicate", PARITY_AT(parallel.dp_replicate),
          "Copies of the model, which divide the rows of an update among them."),
      key("parallel.dp_shard", PARITY_AT(parallel.dp_shard),
          "Ranks that each hold a shard of every parameter of a copy (FSDP) and divide its rows; with "
          "parallel.dp_replicate > 1 it is HSDP."),
      key("parallel.cp", PARITY_AT(parallel.cp),
          "Ranks that divide each sequence (context parallel): each has two of 2 cp chunks, and gathers the "
          "keys "
          "and values of all."),
      key("parallel.tp", PARITY_AT(parallel.tp),
          "Ranks that each hold a shard of every matrix and compute the same rows (tensor parallel); divides "
          "the numbers of query and key heads."),
      key("parallel.ep", PARITY_AT(parallel.ep),
          "Ranks of dp_shard x cp that each hold some of the experts and exchange the tokens for them "
          "(expert parallel)."),
      key("parallel.sequence_parallel", PARITY_AT(parallel.sequence_parallel),
          "Tensor parallel: the residual stream and its norms are also sharded along the sequence."),
      key("parallel.loss_parallel", PARITY_AT(parallel.loss_parallel),
          "Tensor parallel: the loss is computed from logits of which each rank keeps its part of the "
          "vocabulary."),
      key("parallel.tp_sum_pieces", PARITY_AT(parallel.tp_sum_pieces),
          "Number of pieces into which the columns of wo and w2 are cut, to be added as a tree. A token's "
          "bits "
          "are then the same at each parallel.tp that divides it; 0 = off. With train.batch_invariant only."),
      key("parallel.replicate_with", PARITY_AT(parallel.replicate_with),
          "all_reduce: one all-reduce per parameter; flat_all_reduce: one per unit, of its concatenated "
          "gradients; hsdp: HSDP over (dp_replicate, 1), which reduces the same buffers."),
      key("parallel.reshard_after_forward", PARITY_AT(parallel.reshard_after_forward),
          "FSDP: which units drop their gathered parameters after forward and gather them again for "
          "backward."),
      key("parallel.gradient_reduction", PARITY_AT(parallel.gradient_reduction),
          "sum: the ranks' gradients are added; average: they are also divided by the number of "
          "data-parallel ranks, as in torchtitan until #2206 and in DDP. average makes microbatch_mean the "
          "mean of the ranks' own "
          "micro-batches."),
      key("parallel.sync", PARITY_AT(parallel.sync),
          "last: gradients of micro-batches add up on their rank and are reduced after the last one; each: "
          "the gradients of every micro-batch are reduced, then added."),
  };
}

std::vector<Key> pipeline_keys() {
  return {
      key("parallel.pp", PARITY_AT(parallel.pp),
          "Ranks that each hold consecutive blocks; a micro-batch goes through them one after the other "
          "(pipeline parallel)."),
      key("parallel.pp_schedule", PARITY_AT(parallel.pp_schedule),
          "gpipe: all forward, then all backward; 1f1b: backward as early as possible; interleaved: 1f1b "
          "over "
          "parallel.pp_stages stages of each rank."),
      key("parallel.pp_microbatches", PARITY_AT(parallel.pp_microbatches),
          "Pieces of rows into which each micro-batch is cut for the pipeline."),
      key("parallel.pp_stages", PARITY_AT(parallel.pp_stages),
          "interleaved: stages of each rank; stage s is on rank s modulo parallel.pp."),
      key("parallel.pp_masks", PARITY_AT(parallel.pp_masks),
          "split: a mask is made from the whole micro-batch and cut with its rows; own: each piece has its "
          "own; "
          "held: each piece uses the first rows of the whole one, as if a module held it (torchtitan "
          "#1723)."),
  };
}

std::vector<Key> memory_keys() {
  return {
      key("parallel.mixed_precision", PARITY_AT(parallel.mixed_precision),
          "Policy of FSDP units, including replicate_with = \"hsdp\": bf16 gathers parameters in bfloat16 "
          "for "
          "forward and backward, reduces gradients and updates in float32. A float64 twin has none."),
      key("parallel.activation_checkpointing", PARITY_AT(parallel.activation_checkpointing),
          "Blocks that drop their activations and compute them again in backward: none, full (all), or every "
          "parallel.activation_checkpointing_every-th. Also on one rank."),
      key("parallel.activation_checkpointing_every", PARITY_AT(parallel.activation_checkpointing_every),
          "k of activation_checkpointing = \"every\": blocks k - 1, 2 k - 1, ..."),
  };
}

}  // namespace parity::reference::rows
