// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
// Keys of the run as a whole, of its step, checkpoints and threads.
#include "reference/config/keys/rows.hpp"
#include "reference/config/keys/sections.hpp"

namespace parity::reference::rows {

std::vector<Key> run_keys() {
  return {
      key("steps", PARITY_AT(steps), "Optimizer updates."),
      key("seed", PARITY_AT(seed), "Seed of the weights' random generator."),
      not_numeric(
          key("weights.path", PARITY_AT(weights.path),
              "Initial weights in place of drawn ones: a safetensors file or a folder of them, a torch.save "
              "file, or a torch.distributed.checkpoint folder, with "
              "the names of torchtitan (old or new) or of Hugging Face.")),
      key("dtype", PARITY_AT(dtype),
          "Dtype of parameters, activations and optimizer state; float64 is the twin. exact is float32 with "
          "a residue "
          "beside every value, which the trace keeps in place of tensors."),
      key("device", PARITY_AT(device),
          "Device that computes the step; cuda needs an NVIDIA GPU for each rank, and NCCL connects them."),
  };
}

std::vector<Key> train_keys() {
  return {
      key("train.update", PARITY_AT(train.update),
          "step: the trainer's own update; halves: forward_backward for each micro-batch and optim_step, "
          "called from outside; halves_zeroing: each forward_backward drops the gradients first."),
      key("train.evaluate", PARITY_AT(train.evaluate),
          "Records the channel eval_loss: after each update, the loss of the data's first data.global_batch "
          "rows, without gradients."),
      key("train.autocast", PARITY_AT(train.autocast),
          "Runs forward and loss under autocast: matrix products and attention in bfloat16, the rest in "
          "float32. No effect, and a warning, with FSDP or tensor parallel."),
      key("train.autocast_dtype", PARITY_AT(train.autocast_dtype), "Narrow dtype of autocast."),
      key("train.float8", PARITY_AT(train.float8),
          "Rounds the weights of the blocks' matrices to float8 (e4m3) in use, each with a scale from its "
          "largest element: computed at each_forward; after_update, all at once (torchtitan's post-optimizer "
          "hook); or from the first weights only, which is stale from update 2 on. A float64 twin rounds "
          "nothing."),
      key("train.batch_invariant", PARITY_AT(train.batch_invariant),
          "Makes a token's bits in the forward pass depend on its own sequence alone, not on the batch: "
          "matrix products in tiles of a fixed number of tokens; with attention.backend = \"tiled\" only."),
      key("train.freeze", PARITY_AT(train.freeze),
          "Patterns of names of parameters that do not train, such as \"layers.0.*\": they have no gradient, "
          "and the gradient norm and the optimizer leave them out."),
  };
}

std::vector<Key> linear_keys() {
  return {
      key("linear.recipe", PARITY_AT(linear.recipe),
          "Quantises what the blocks' linear layers multiply, forward and backward; the product is float32. "
          "float8 with a scale for each tensor, row, or block (128 x 128 of weights, 1 x 128 of the rest: "
          "DeepSeek-V3); mxfp8: 32 elements with a power of two (OCP MX); nvfp4: 16 elements with an e4m3 "
          "scale, and a scale of the tensor. A float64 twin rounds nothing."),
      key("linear.gradients", PARITY_AT(linear.gradients),
          "Format of the output's gradients. The recipe's is e5m2 for float8_tensor, and that of the other "
          "operands else."),
      key("linear.scales", PARITY_AT(linear.scales),
          "power_of_two: float8 scales rounded to one that does not overflow; round_up: the same of mxfp8 "
          "(NVIDIA), whose own rule may saturate the largest elements; unit: no scale, a defect to be "
          "found."),
      key("linear.tp_scales", PARITY_AT(linear.tp_scales),
          "Where a scale reaches over matrices that parallel.tp shards. whole: the largest magnitude is that "
          "of "
          "all ranks, as in one process (torchao); shard: each rank scales its own shard, another recipe."),
  };
}

std::vector<Key> checkpoint_keys() {
  return {
      key("checkpoint.format", PARITY_AT(checkpoint.format),
          "torch_save: rank 0 writes one file of whole tensors; dcp: each rank writes its shards to a folder "
          "of "
          "torch.distributed.checkpoint, which any number of ranks resumes from."),
      key("checkpoint.restart_after", PARITY_AT(checkpoint.restart_after),
          "Ends the process after this update and resumes in a new one from a checkpoint; 0 = never."),
      key("checkpoint.resume_dp_replicate", PARITY_AT(checkpoint.resume_dp_replicate),
          "parallel.dp_replicate of the process that resumes; 0 = the same."),
      key("checkpoint.resume_dp_shard", PARITY_AT(checkpoint.resume_dp_shard),
          "parallel.dp_shard of the process that resumes; 0 = the same."),
      key("checkpoint.resume_tp", PARITY_AT(checkpoint.resume_tp),
          "parallel.tp of the process that resumes; 0 = the same."),
      key("checkpoint.resume_cp", PARITY_AT(checkpoint.resume_cp),
          "parallel.cp of the process that resumes; 0 = the same."),
      key("checkpoint.resume_pp", PARITY_AT(checkpoint.resume_pp),
          "parallel.pp of the process that resumes; 0 = the same."),
      key("checkpoint.resume_ep", PARITY_AT(checkpoint.resume_ep),
          "parallel.ep of the process that resumes; 0 = the same."),
      key("checkpoint.exclude_from_loading", PARITY_AT(checkpoint.exclude_from_loading),
          "Parts that a resumed run initializes instead of loading."),
  };
}

std::vector<Key> thread_keys() {
  return {
      key("threads", PARITY_AT(threads), "Threads within an operator; they change the order of sums."),
  };
}

}  // namespace parity::reference::rows
