// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// PyTorch on the rollouts of a run: model, log probabilities, policy losses, clipping, AdamW.
#include "tests/support/pytorch/pytorch_fixture.hpp"

namespace parity::reference {
namespace {

class PyTorchPolicyTest : public PyTorchProgramTest {};

TEST_P(PyTorchPolicyTest, GivesTheSameLossAndGradientNormBitForBit) {
  expect_same_bits();
}

Json policy(const Json& changes) {
  return with({{"architecture.dim", 64},
               {"architecture.n_layers", 2},
               {"architecture.n_heads", 4},
               {"architecture.n_kv_heads", 2},
               {"architecture.vocab_size", 16},
               {"architecture.ffn_hidden", 96},
               {"data.source", "rollouts"},
               {"data.seq_len", 8},
               {"data.global_batch", 16},
               {"data.micro_batches", 2},
               {"rl.push_every", 2},
               {"lr.base", 2e-3}},
              changes);
}

Json loss(const std::string& name) {
  return policy({{"rl.loss", name}});
}

/// Three or so rollouts a row, whose masks are dense in PyTorch.
Json packed(const std::string& normalization) {
  return policy({{"rl.packing", "masked"},
                 {"rl.normalization", normalization},
                 {"rl.completions", 16},
                 {"data.global_batch", 8},
                 {"data.seq_len", 20},
                 {"attention.backend", "dense"},
                 {"attention.documents", {"position_zero"}}});
}

/// Qwen3 with experts. Padding is routed too, and counts for nothing.
Json experts(const Json& changes) {
  Json all = policy({{"model", "qwen3.debug_moe_8"}, {"moe.hidden", 32}, {"moe.load_balance", "off"}});
  all.update(changes);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Experts, PyTorchPolicyTest,
                         testing::Values(Setting{"Grpo", "float32", experts(Json::object())},
                                         Setting{"Divergence", "float32", experts({{"rl.kl_coef", 0.5}})},
                                         Setting{"GspoFloat64", "float64", experts({{"rl.loss", "gspo"}})}),
                         name_of_setting);

INSTANTIATE_TEST_SUITE_P(
    Losses, PyTorchPolicyTest,
    testing::Values(Setting{"Grpo", "float32", loss("grpo")}, Setting{"GrpoFloat64", "float64", loss("grpo")},
                    Setting{"Dapo", "float32", loss("dapo")}, Setting{"Ppo", "float32", loss("ppo")},
                    Setting{"ImportanceSampling", "float32", loss("importance_sampling")},
                    Setting{"Sequence", "float32", loss("grpo_sequence")},
                    Setting{"SequenceWithReference", "float32",
                            policy({{"rl.loss", "grpo_sequence"}, {"rl.kl_coef", 0.5}})},
                    Setting{"RankMean", "float32",
                            policy({{"rl.loss", "grpo_sequence"}, {"rl.normalization", "rank_mean"}})},
                    Setting{"Divergence", "float32", policy({{"rl.kl_coef", 0.5}})},
                    Setting{"LogSoftmax", "float32", policy({{"rl.logprobs", "log_softmax"}})},
                    Setting{"Gspo", "float32", policy({{"rl.loss", "gspo"}, {"rl.clip_high", 0.1}})},
                    Setting{"Cispo", "float32", loss("cispo")},
                    Setting{"SequenceMean", "float32", policy({{"rl.normalization", "sequence_mean"}})},
                    Setting{"TruncatedSequence", "float32",
                            policy({{"rl.correction", "truncate"}, {"rl.correction_level", "sequence"}})},
                    Setting{"StaleAndMasked", "float32",
                            policy({{"rl.correction", "mask"},
                                    {"rl.correction_cap", 1.05},
                                    {"rl.loop", "asynchronous"},
                                    {"rl.staleness", 1},
                                    {"rl.push_every", 1}})},
                    Setting{"Dpo", "float32",
                            policy({{"rl.loss", "dpo"}, {"rl.group_size", 2}, {"data.global_batch", 64}})},
                    Setting{"UnevenPrompts", "float32",
                            policy({{"rl.normalization", "prompt_mean"},
                                    {"rl.group_sizes", {2, 4, 3}},
                                    {"rl.advantage", "population_std"},
                                    {"rl.deviation", "update"},
                                    {"rl.kl_coef", 0.5},
                                    {"data.global_batch", 18}})},
                    Setting{"Packed", "float32", packed("global")},
                    Setting{"PackedMeans", "float64", packed("sequence_mean")},
                    Setting{"Sft", "float32", loss("sft")}),
    name_of_setting);

}  // namespace
}  // namespace parity::reference
