// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/pytorch/pytorch_fixture.hpp"

namespace parity::reference {
namespace {

class PyTorchTest : public PyTorchProgramTest {};

TEST_P(PyTorchTest, GivesTheSameLossAndGradientNormBitForBit) {
  expect_same_bits();
}

const Json qwen3 = {
    {"model", "qwen3.debug"},      {"architecture.dim", 64},        {"architecture.n_layers", 3},
    {"architecture.n_heads", 4},   {"architecture.n_kv_heads", 2},  {"architecture.vocab_size", 500},
    {"architecture.head_dim", 32}, {"architecture.ffn_hidden", 96}, {"data.seq_len", 64},
    {"data.micro_batches", 2},     {"data.ignore_fraction", 0.25}};
const Json llama4 = {
    {"model", "llama4.debug"},   {"architecture.dim", 64},       {"architecture.n_layers", 4},
    {"architecture.n_heads", 4}, {"architecture.n_kv_heads", 2}, {"architecture.vocab_size", 500},
    {"moe.hidden", 48},          {"moe.shared_hidden", 40},      {"data.seq_len", 64},
    {"data.micro_batches", 2}};
const Json muon = {{"optimizer.name", "muon"}, {"optimizer.muon.lr", 0.02}};
const Json adafactor = {
    {"optimizer.name", "adafactor"}, {"optimizer.implementation", "plain"}, {"lr.base", 0.02}};
const Json sgd = {{"optimizer.name", "sgd"}, {"optimizer.momentum", 0.9}, {"lr.base", 0.1}};

INSTANTIATE_TEST_SUITE_P(
    Settings, PyTorchTest,
    testing::Values(
        Setting{"DebugModel", "float32", {{"data.seq_len", 128}}},
        Setting{"GroupedHeadsTwoMicroBatches", "float32", grouped},
        Setting{"Autocast", "float32", with(grouped, {{"train.autocast", true}})},
        Setting{"Float64", "float64",
                with(grouped, {{"architecture.rope_scaling", "none"},
                               {"lr.decay_ratio", 0.5},
                               {"lr.decay", "cosine"},
                               {"lr.min_factor", 0.1}})},
        Setting{"FusedSgd", "float32", with(with(grouped, sgd), {{"lr.schedule", "hugging_face_linear"}})},
        Setting{"MegatronWithARisingWeightDecay", "float32",
                with(grouped, {{"lr.schedule", "megatron"},
                               {"lr.decay", "wsd"},
                               {"lr.wsd_steps", 4},
                               {"lr.wsd_decay", "minus_sqrt"},
                               {"lr.init_factor", 0.1},
                               {"lr.min_factor", 0.05},
                               {"optimizer.weight_decay_ramp", "cosine"}})},
        Setting{"Muon", "float32", with(grouped, muon)},
        Setting{"MuonOfMoonshotWithoutNesterov", "float32",
                with(grouped, {{"optimizer.name", "muon"},
                               {"optimizer.muon.adjust_lr", "match_rms_adamw"},
                               {"optimizer.muon.nesterov", false},
                               {"optimizer.muon.momentum", 0.9},
                               {"optimizer.muon.ns_steps", 3},
                               {"lr.schedule", "hugging_face_cosine"}})},
        Setting{"MuonInFloat64", "float64", with(grouped, muon)},
        Setting{"MuonOfExperts", "float32", with(experts, muon)},
        Setting{"MuonByPolarExpressInFloat32", "float32",
                with(grouped, with(muon, {{"optimizer.muon.coefficients", "polar_express"},
                                          {"optimizer.muon.ns_dtype", "float32"},
                                          {"optimizer.muon.ns_steps", 8},
                                          {"optimizer.decay", "matrices"},
                                          {"optimizer.implementation", "foreach"}}))},
        Setting{"MuonByAQuinticForEachStep", "float32",
                with(grouped, with(muon, {{"optimizer.muon.coefficients", "quintic"}}))},
        Setting{"FusedAdamOfMatrices", "float32",
                with(grouped, {{"optimizer.name", "adam"}, {"optimizer.decay", "matrices"}})},
        Setting{"PlainAdam", "float32",
                with(grouped, {{"optimizer.name", "adam"}, {"optimizer.implementation", "plain"}})},
        Setting{"ForeachAdamInFloat64", "float64",
                with(grouped, {{"optimizer.name", "adam"}, {"optimizer.implementation", "foreach"}})},
        Setting{"ForeachAdamWOfMatrices", "float32",
                with(grouped, {{"optimizer.implementation", "foreach"}, {"optimizer.decay", "matrices"}})},
        Setting{"ForeachSgdOfMatrices", "float32",
                with(with(grouped, sgd),
                     {{"optimizer.implementation", "foreach"}, {"optimizer.decay", "matrices"}})},
        Setting{"FusedSgdOfMatrices", "float32", with(with(grouped, sgd), {{"optimizer.decay", "matrices"}})},
        Setting{"Lion", "float32",
                with(grouped, {{"optimizer.name", "lion"},
                               {"optimizer.implementation", "plain"},
                               {"optimizer.beta2", 0.99},
                               {"lr.base", 1e-4},
                               {"optimizer.decay", "matrices"}})},
        Setting{"Adafactor", "float32", with(grouped, adafactor)},
        Setting{"AdafactorInFloat64", "float64",
                with(grouped, with(adafactor, {{"optimizer.adafactor.eps1", 2.220446049250313e-16},
                                               {"optimizer.decay", "matrices"}}))},
        Setting{"AdafactorOfExperts", "float32", with(experts, adafactor)},
        Setting{"AdafactorWithOtherNumbers", "float32",
                with(grouped, with(adafactor, {{"lr.base", 0.7},
                                               {"lr.schedule", "hugging_face_cosine"},
                                               {"optimizer.weight_decay", 0.01},
                                               {"optimizer.adafactor.beta2_decay", -0.5},
                                               {"optimizer.adafactor.eps1", 1e-4},
                                               {"optimizer.adafactor.eps2", 0.03},
                                               {"optimizer.adafactor.d", 1.5}}))},
        Setting{"PlainAdamW", "float32", with(grouped, {{"optimizer.implementation", "plain"}})},
        Setting{"PlainSgdWithARisingWeightDecay", "float64",
                with(with(grouped, sgd), {{"lr.schedule", "megatron"},
                                          {"optimizer.implementation", "plain"},
                                          {"optimizer.weight_decay_ramp", "linear"}})},
        Setting{"Qwen3", "float32", qwen3},
        Setting{"Qwen3UntiedInFloat64", "float64",
                with(qwen3, {{"architecture.tied_embeddings", "off"},
                             {"architecture.initialization", "depth_scaled"}})},
        Setting{
            "RotateHalfOverPermutedRows", "float32",
            with(grouped, {{"architecture.rope", "rotate_half"}, {"architecture.rope_weights", "permuted"}})},
        Setting{"Experts", "float32", experts},
        Setting{"ExpertsByGroupedMatmul", "float32", with(experts, {{"moe.matmul", "grouped_bf16"}})},
        Setting{"ExpertsOfFewGroupsInFloat64", "float64",
                with(experts, {{"moe.score", "sigmoid"},
                               {"moe.groups", 4},
                               {"moe.limited_groups", 2},
                               {"moe.top_k", 3},
                               {"moe.route_scale", 2.5}})},
        Setting{"ExpertsWithASwitchLoss", "float32",
                with(experts, {{"moe.balance_loss", "switch"}, {"moe.balance_loss_coeff", 0.5}})},
        Setting{"ExpertsWithALossOfTheWholeUpdate", "float32",
                with(experts, {{"moe.balance_loss", "switch"},
                               {"moe.balance_loss_coeff", 0.5},
                               {"moe.balance_loss_scope", "global_batch"},
                               {"data.micro_batches", 2}})},
        Setting{"ExpertsWithALossOfSequencesAndZ", "float64",
                with(experts, {{"moe.score", "sigmoid"},
                               {"moe.balance_loss", "sequence"},
                               {"moe.balance_loss_coeff", 0.5},
                               {"moe.z_loss_coeff", 0.125},
                               {"data.micro_batches", 2}})},
        Setting{"ExpertsThatDropTheLastTokens", "float32", with(experts, {{"moe.capacity_factor", 1.0}})},
        Setting{
            "ExpertsThatDropTheLowestScores", "float32",
            with(experts, {{"moe.capacity_factor", 1.25}, {"moe.drop", "score"}, {"data.micro_batches", 2}})},
        Setting{"Llama4", "float32", llama4},
        Setting{"Llama4WithoutBiasesAndScoresBehind", "float32",
                with(llama4, {{"moe.load_balance", "off"}, {"moe.score_place", "after"}})},
        Setting{"DeepSpeedLogCosine", "float32",
                with(grouped, {{"lr.schedule", "deepspeed"},
                               {"lr.decay", "cosine"},
                               {"lr.warmup", "log"},
                               {"lr.warmup_steps", 3},
                               {"lr.min_factor", 1e-4}})},
        Setting{"PlainSgdWithoutClipping", "float32",
                with(with(grouped, sgd), {{"optimizer.implementation", "plain"},
                                          {"clip.max_norm", 0.0},
                                          {"lr.schedule", "warmup_linear"},
                                          {"lr.first_index", 0}})}),
    name_of_setting);

}  // namespace
}  // namespace parity::reference
