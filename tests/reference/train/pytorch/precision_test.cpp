// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/pytorch/pytorch_fixture.hpp"

// Narrow types against PyTorch's own casts, GradScaler and bfloat16 tensors: bit for bit.

namespace parity::reference {
namespace {

class PyTorchPrecisionTest : public PyTorchProgramTest {};

TEST_P(PyTorchPrecisionTest, GivesTheSameBits) {
  expect_same_bits();
  if (HasFatalFailure() || !GetParam().changes.contains("loss.scale"))
    return;
  for (const char* channel : {"loss_scale", "update_skipped"})
    EXPECT_EQ(channel_of(ours(), channel), channel_of(theirs(), channel)) << channel;
}

Setting recipe(const std::string& name, const Json& changes) {
  return {name, "float32", with(grouped, changes)};
}

Setting experts_by(const std::string& name, const Json& changes) {
  return {name, "float32", with(experts, changes)};
}

INSTANTIATE_TEST_SUITE_P(
    Settings, PyTorchPrecisionTest,
    testing::Values(
        recipe("Float8TensorOfBfloat16Weights",
               {{"linear.recipe", "float8_tensor"}, {"optimizer.weights", "bfloat16"}}),
        recipe("Float8RowOfPowersOfTwoInE5m2RoundedByChance", {{"linear.recipe", "float8_row"},
                                                               {"linear.gradients", "e5m2"},
                                                               {"linear.scales", "power_of_two"},
                                                               {"optimizer.weights", "stochastic"},
                                                               {"optimizer.rounding_seed", 7}}),
        recipe("Float8Block",
               {{"linear.recipe", "float8_block"}, {"architecture.dim", 160}, {"architecture.n_heads", 4}}),
        recipe("Float8BlockOfPowersOfTwoAfterKahan", {{"linear.recipe", "float8_block"},
                                                      {"linear.scales", "power_of_two"},
                                                      {"optimizer.weights", "kahan"},
                                                      {"optimizer.implementation", "foreach"}}),
        recipe("Mxfp8OfGpt2", {{"model", "gpt2.debug"}, {"linear.recipe", "mxfp8"}, {"data.seq_len", 48}}),
        recipe("Mxfp8RoundedUpWithAScaleThatOverflows", {{"linear.recipe", "mxfp8"},
                                                         {"linear.scales", "round_up"},
                                                         {"loss.scale", "dynamic"},
                                                         {"loss.scale_init", 0x1p127},
                                                         {"loss.scale_interval", 2},
                                                         {"loss.scale_backoff", 0x1p-10}}),
        experts_by("Float8BlockOfExperts", {{"linear.recipe", "float8_block"},
                                            {"architecture.dim", 160},
                                            {"moe.top_k", 3},
                                            {"moe.shared_hidden", 40}}),
        experts_by("Float8RowOfPowersOfTwoOfExperts",
                   {{"linear.recipe", "float8_row"}, {"linear.scales", "power_of_two"}}),
        experts_by("Float8TensorOfExperts", {{"linear.recipe", "float8_tensor"}}),
        experts_by("Mxfp8OfExpertsThatDropTokens",
                   {{"linear.recipe", "mxfp8"}, {"moe.capacity_factor", 1.0}}),
        experts_by("Nvfp4OfExpertsOfWhichSomeHaveNoTokens",
                   {{"linear.recipe", "nvfp4"}, {"moe.top_k", 1}, {"data.seq_len", 8}}),
        recipe("Float8RowBesideAdapters",
               {{"linear.recipe", "float8_row"}, {"lora.rank", 4}, {"lr.base", 0.02}}),
        recipe("Mxfp8BesideAdaptersOfAllLayers",
               {{"linear.recipe", "mxfp8"},
                {"lora.rank", 4},
                {"lora.targets", {"wq", "wk", "wv", "wo", "w1", "w2", "w3"}},
                {"lora.scale", "sqrt_rank"},
                {"lr.base", 0.02}}),
        recipe("Nvfp4OfMasterWeights", {{"linear.recipe", "nvfp4"}, {"optimizer.weights", "master"}}),
        recipe("Float16ThatHoldsTheSchedule", {{"loss.scale", "dynamic"},
                                               {"loss.scale_init", 0x1p30},
                                               {"loss.scale_interval", 3},
                                               {"loss.scale_backoff", 0.0625},
                                               {"loss.scale_holds_schedule", true},
                                               {"train.autocast", true},
                                               {"train.autocast_dtype", "float16"}}),
        Setting{"TwinOfMasterWeightsRoundsNothing", "float64",
                with(grouped, {{"linear.recipe", "mxfp8"}, {"optimizer.weights", "master"}})},
        Setting{"TwinRoundsNothing", "float64",
                with(grouped, {{"linear.recipe", "nvfp4"},
                               {"optimizer.weights", "kahan"},
                               {"loss.scale", "dynamic"},
                               {"loss.scale_init", 0x1p100}})}),
    name_of_setting);

}  // namespace
}  // namespace parity::reference
