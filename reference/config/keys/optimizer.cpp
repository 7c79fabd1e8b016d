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
          "fused: one kernel for all tensors; plain: one tensor after another with ordinary operations; "
          "foreach: one operation for all tensors, then the next. For muon: of the AdamW beside it."),
      key("optimizer.beta1", PARITY_AT(optimizer.beta1),
          "AdamW, Adam: decay of the first moment. Lion: weight of the momentum in the update."),
      key("optimizer.beta2", PARITY_AT(optimizer.beta2),
          "AdamW, Adam: decay of the second moment. Lion: decay of the momentum; its paper's value is 0.99."),
      key("optimizer.eps", PARITY_AT(optimizer.eps), "AdamW, Adam: added to the root of the second moment."),
      key("optimizer.weight_decay", PARITY_AT(optimizer.weight_decay),
          "AdamW, Muon, Lion, Adafactor: decoupled decay; Adam, SGD: added to the gradient; on the "
          "parameters of "
          "optimizer.decay."),
      key("optimizer.decay", PARITY_AT(optimizer.decay),
          "Which parameters weight decay acts on: all, or matrices, which leaves out norms and biases."),
      key("optimizer.weights", PARITY_AT(optimizer.weights),
          "Storage of the parameters between updates. bfloat16: rounded to nearest after each update; "
          "stochastic: rounded up or down by chance; kahan: to nearest, with the error carried to the next "
          "update; master: copies of float32 weights that the optimizer keeps. Moments are float32. A "
          "float64 "
          "twin rounds nothing."),
      key("optimizer.rounding_seed", PARITY_AT(optimizer.rounding_seed),
          "Seed of stochastic rounding; an element's draw depends on the seed, its parameter and the update, "
          "not on the layout."),
      key("optimizer.weight_decay_ramp", PARITY_AT(optimizer.weight_decay_ramp),
          "megatron: how weight decay rises from optimizer.weight_decay_start to optimizer.weight_decay over "
          "the run."),
      key("optimizer.weight_decay_start", PARITY_AT(optimizer.weight_decay_start),
          "megatron: weight decay of the first update, if a ramp is set."),
      key("optimizer.momentum", PARITY_AT(optimizer.momentum), "SGD: momentum."),
      key("clip.max_norm", PARITY_AT(clip.max_norm),
          "L2 norm to which larger gradients are scaled down; 0 = never."),
      key("optimizer.qk_clip", PARITY_AT(optimizer.qk_clip),
          "After an update, the rows of queries and keys of a head are scaled so that its largest logit of "
          "the "
          "update would have been this (MuonClip, Kimi K2: 100); 0 = never. sdpa and dense."),
      key("optimizer.qk_clip_scope", PARITY_AT(optimizer.qk_clip_scope),
          "Whose largest logit optimizer.qk_clip bounds: head, each head's; layer, the block's, with one "
          "factor "
          "for all its heads."),
  };
}

std::vector<Key> muon_keys() {
  return {
      key("optimizer.muon.lr", PARITY_AT(optimizer.muon.lr),
          "Muon: lr.base of the matrices, with the schedule of lr.*; 0 = lr.base. AdamW beside it has "
          "lr.base."),
      key("optimizer.muon.momentum", PARITY_AT(optimizer.muon.momentum), "Muon: decay of the momentum."),
      key("optimizer.muon.nesterov", PARITY_AT(optimizer.muon.nesterov), "Muon: Nesterov's momentum."),
      key("optimizer.muon.coefficients", PARITY_AT(optimizer.muon.coefficients),
          "Muon: polynomials of Newton-Schulz. fixed: a, b, c in every step, by default Keller Jordan's; "
          "quintic: another for each of 5 steps; polar_express: for each of 8."),
      key("optimizer.muon.a", PARITY_AT(optimizer.muon.a), "Muon: coefficient of x in a x + b x^3 + c x^5."),
      key("optimizer.muon.b", PARITY_AT(optimizer.muon.b), "Muon: coefficient of x^3."),
      key("optimizer.muon.c", PARITY_AT(optimizer.muon.c), "Muon: coefficient of x^5."),
      key("optimizer.muon.ns_steps", PARITY_AT(optimizer.muon.ns_steps), "Muon: steps of Newton-Schulz."),
      key("optimizer.muon.eps", PARITY_AT(optimizer.muon.eps),
          "Muon: least Frobenius norm that a matrix is divided by before Newton-Schulz."),
      key("optimizer.muon.ns_dtype", PARITY_AT(optimizer.muon.ns_dtype),
          "Muon: dtype of Newton-Schulz. torch.optim.Muon's is bfloat16. A float64 twin has float64."),
      key("optimizer.muon.adjust_lr", PARITY_AT(optimizer.muon.adjust_lr),
          "Muon: factor of the rate for an A x B matrix. original: sqrt(max(1, A/B)) (Keller Jordan); "
          "match_rms_adamw: 0.2 sqrt(max(A, B)) (Moonshot); unit_rms_norm: sqrt(A/B); none: 1."),
      key("optimizer.muon.split_qkv", PARITY_AT(optimizer.muon.split_qkv),
          "Muon: the rows of q, k and v in a fused matrix count as three matrices, as in Megatron-LM."),
      key("optimizer.muon.sharding", PARITY_AT(optimizer.muon.sharding),
          "Muon: of a sharded matrix, gathered: each rank orthogonalizes the whole; distributed: one rank "
          "does for all; blockwise: each rank orthogonalizes its block alone, another algorithm."),
  };
}

std::vector<Key> adafactor_keys() {
  return {
      key("optimizer.adafactor.beta2_decay", PARITY_AT(optimizer.adafactor.beta2_decay),
          "Adafactor: power of the update's number t in 1 - beta2 = t^beta2_decay."),
      key("optimizer.adafactor.eps1", PARITY_AT(optimizer.adafactor.eps1),
          "Adafactor: keeps small gradients from being divided by 0; eps1_place says how. "
          "torch.optim.Adafactor's default is the epsilon of the parameter's dtype, here that of float32 in "
          "every dtype; the paper's is 1e-30. If its square is 0 in the dtype, a gradient of 0 gives NaN."),
      key("optimizer.adafactor.eps1_place", PARITY_AT(optimizer.adafactor.eps1_place),
          "Adafactor: where eps1 enters. denominator: it is the least mean of the rows' moments and the "
          "least "
          "root (torch.optim.Adafactor); square: it is added to the squared gradient (the paper, "
          "Transformers, fairseq)."),
      key("optimizer.adafactor.eps2", PARITY_AT(optimizer.adafactor.eps2),
          "Adafactor: least root mean square of a parameter by which its step is scaled."),
      key("optimizer.adafactor.d", PARITY_AT(optimizer.adafactor.d),
          "Adafactor: root mean square to which a larger update of a tensor is scaled down."),
      key("optimizer.adafactor.relative_step", PARITY_AT(optimizer.adafactor.relative_step),
          "Adafactor: the rate of update t is at most 1/sqrt(t); false: it is that of the schedule."),
      key("optimizer.adafactor.scale_parameter", PARITY_AT(optimizer.adafactor.scale_parameter),
          "Adafactor: a step is a share of the parameter's root mean square; false: as in Transformers with "
          "scale_parameter=False, the rate alone."),
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
