// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
// Keys of the optimizer and of its learning rate.
#include "reference/config/keys/rows.hpp"
#include "reference/config/keys/sections.hpp"

namespace parity::reference::rows {

std::vector<Key> optimizer_keys() {
  return {
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
          "megatron: weight decay of the first update, if a ramp is set."),
      key("optimizer.momentum", PARITY_AT(optimizer.momentum), "SGD: momentum."),
      key("clip.max_norm", PARITY_AT(clip.max_norm),
          "L2 norm to which larger gradients are scaled down; 0 = never."),
  };
}

std::vector<Key> schedule_keys() {
  return {
      key("lr.base", PARITY_AT(lr.base), "Learning rate at factor 1."),
      key("lr.schedule", PARITY_AT(lr.schedule), "Family of the learning-rate schedule."),
      key("lr.warmup_steps", PARITY_AT(lr.warmup_steps), "Number of warmup updates."),
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
      with_values(key("lr.first_index", PARITY_AT(lr.first_index),
                      "warmup_linear: the number of the first update, 1 (titan) or 0 (Hugging Face)."),
                  {"0", "1"}),
  };
}

}  // namespace parity::reference::rows
