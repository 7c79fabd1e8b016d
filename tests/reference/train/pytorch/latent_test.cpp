// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Latent attention, and q, k and v in one weight, against ordinary PyTorch.
#include "tests/support/pytorch/pytorch_fixture.hpp"

namespace parity::reference {
namespace {

class PyTorchLatentTest : public PyTorchProgramTest {};

TEST_P(PyTorchLatentTest, GivesTheSameLossAndGradientNormBitForBit) {
  expect_same_bits();
}

const Json latent = {{"architecture.dim", 64},
                     {"architecture.n_layers", 2},
                     {"architecture.n_heads", 4},
                     {"architecture.vocab_size", 500},
                     {"architecture.ffn_hidden", 96},
                     {"architecture.kv_lora_rank", 40},
                     {"architecture.qk_nope_head_dim", 16},
                     {"architecture.qk_rope_head_dim", 8},
                     {"architecture.v_head_dim", 20},
                     {"data.seq_len", 64},
                     {"data.micro_batches", 2},
                     {"data.ignore_fraction", 0.25}};
const Json deepseek =
    with(latent, {{"model", "deepseek_v3.debug"}, {"moe.hidden", 48}, {"moe.shared_hidden", 40}});
const Json fused = with(grouped, {{"architecture.fused_qkv", true}});

INSTANTIATE_TEST_SUITE_P(
    Settings, PyTorchLatentTest,
    testing::Values(
        Setting{"Latent", "float32", latent},
        Setting{"LatentOfQueriesTooWithYarnInFloat64", "float64",
                with(latent, {{"architecture.q_lora_rank", 24}, {"architecture.rope_scaling", "yarn"}})},
        Setting{"LatentByHalves", "float32", with(latent, {{"architecture.rope", "rotate_half"}})},
        Setting{"DeepSeekOfDenseBlocks", "float32", with(deepseek, {{"moe.every", 100}})},
        Setting{"DeepSeekWithOneDenseBlockAndOneOfExperts", "float32", deepseek},
        Setting{"DeepSeekUnderAutocast", "float32",
                with(deepseek, {{"moe.every", 100}, {"train.autocast", true}})},
        Setting{"Fused", "float32", fused},
        Setting{"FusedWithNormsOfHeadsInFloat64", "float64", with(fused, {{"architecture.qk_norm", "on"}})}),
    name_of_setting);

}  // namespace
}  // namespace parity::reference
