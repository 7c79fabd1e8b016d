// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/pytorch/pytorch_fixture.hpp"

namespace parity::reference {
namespace {

/// Ten updates by ranks of parity-train and by ranks of PyTorch's own tensor parallelism.
class PyTorchTensorParallelTest : public PyTorchRanksTest, public testing::WithParamInterface<Setting> {};

TEST_P(PyTorchTensorParallelTest, GivesTheSameLossAndGradientNormBitForBit) {
  const auto& [name, dtype, layout] = GetParam();
  expect_same_bits("pytorch_tensor_parallel.py", 2, dtype, grouped, with(layout, {{"parallel.tp", 2}}));
  EXPECT_NE(channel_of(trace_of("ours.h5"), "grad_norm"), channel_of(trace_of("replay.h5"), "grad_norm"))
      << "sums in another order";
}

INSTANTIATE_TEST_SUITE_P(
    Settings, PyTorchTensorParallelTest,
    testing::Values(Setting{"Plain", "float32", Json::object()},
                    Setting{"SequenceParallel", "float32", {{"parallel.sequence_parallel", true}}},
                    Setting{"SequenceAndLossParallel",
                            "float32",
                            {{"parallel.sequence_parallel", true}, {"parallel.loss_parallel", true}}}),
    name_of_setting);

/// Low-precision recipes: magnitudes that reach over the ranks are reduced by torch.distributed, and ranks
/// have whole blocks of the rest (pytorch_recipes.py).
class PyTorchShardedRecipesTest : public PyTorchRanksTest, public testing::WithParamInterface<Setting> {};

TEST_P(PyTorchShardedRecipesTest, GiveTheSameLossAndGradientNormBitForBit) {
  const auto& [name, dtype, layout] = GetParam();
  const Json wide = with(
      grouped, {{"architecture.dim", 256}, {"architecture.n_kv_heads", 8}, {"architecture.ffn_hidden", 256}});
  expect_same_bits("pytorch_tensor_parallel.py", 2, dtype, wide, with(layout, {{"parallel.tp", 2}}));
}

INSTANTIATE_TEST_SUITE_P(
    Recipes, PyTorchShardedRecipesTest,
    testing::Values(Setting{"Float8Tensor", "float32", {{"linear.recipe", "float8_tensor"}}},
                    Setting{"Float8RowOverSequences",
                            "float32",
                            {{"linear.recipe", "float8_row"}, {"parallel.sequence_parallel", true}}},
                    Setting{"Float8RowOfEachRank",
                            "float32",
                            {{"linear.recipe", "float8_row"}, {"linear.tp_scales", "shard"}}},
                    Setting{"Float8Block", "float32", {{"linear.recipe", "float8_block"}}},
                    Setting{"Mxfp8", "float32", {{"linear.recipe", "mxfp8"}}},
                    Setting{"Nvfp4", "float32", {{"linear.recipe", "nvfp4"}}}),
    name_of_setting);

}  // namespace
}  // namespace parity::reference
