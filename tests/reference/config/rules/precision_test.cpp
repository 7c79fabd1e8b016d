// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/config/impossible.hpp"

namespace parity::reference {
namespace {

INSTANTIATE_TEST_SUITE_P(
    Precision, ImpossibleConfig,
    testing::Values(
        Impossible{"ScalesWithoutARecipe", "linear.scales = \"unit\"", "linear.scales = \"unit\""},
        Impossible{"GradientsOfNvfp4", "linear.recipe = \"nvfp4\"\nlinear.gradients = \"e5m2\"",
                   "linear.gradients = \"e5m2\""},
        Impossible{"PowersOfTwoOfMx", "linear.recipe = \"mxfp8\"\nlinear.scales = \"power_of_two\"",
                   "linear.scales = \"power_of_two\""},
        Impossible{"RoundedUpFloat8", "linear.recipe = \"float8_row\"\nlinear.scales = \"round_up\"",
                   "linear.scales = \"round_up\""},
        Impossible{"TwoRecipes", "linear.recipe = \"mxfp8\"\ntrain.float8 = \"each_forward\"",
                   "linear.recipe = \"mxfp8\""},
        Impossible{"RecipeUnderAutocast", "linear.recipe = \"mxfp8\"\ntrain.autocast = true",
                   "linear.recipe = \"mxfp8\""},
        Impossible{"BlocksOfParts",
                   "linear.recipe = \"mxfp8\"\narchitecture.ffn_hidden = 96\nparallel.tp = 2",
                   "linear.recipe = \"mxfp8\""},
        Impossible{"BlocksOfPartsAfterARestart",
                   "linear.recipe = \"float8_block\"\narchitecture.dim = 128\nparallel.dp_shard = "
                   "2\ncheckpoint.restart_after = 2\n"
                   "checkpoint.resume_dp_shard = 1\ncheckpoint.resume_tp = 2",
                   "linear.recipe = \"float8_block\"", resumed},
        Impossible{"RecipeOfTermsOfLatents",
                   "model = \"deepseek_v3.debug\"\nlinear.recipe = \"float8_row\"\nparallel.tp = 2",
                   "linear.recipe = \"float8_row\""},
        Impossible{"ScalesOfNoShards", "linear.recipe = \"float8_row\"\nlinear.tp_scales = \"shard\"",
                   "linear.tp_scales = \"shard\""},
        Impossible{"ShardsOfWholeBlocks",
                   "linear.recipe = \"mxfp8\"\nlinear.tp_scales = \"shard\"\nparallel.tp = 2",
                   "linear.tp_scales = \"shard\""},
        Impossible{"RecipeOfExpertsInBfloat16",
                   "model = \"qwen3.debug_moe_8\"\nmoe.matmul = \"grouped_bf16\"\nlinear.recipe = \"nvfp4\"",
                   "linear.recipe = \"nvfp4\""},
        Impossible{"RecipeOfMergedAdapters",
                   "linear.recipe = \"mxfp8\"\nlora.rank = 2\nlora.form = \"merged\"",
                   "linear.recipe = \"mxfp8\""},
        Impossible{"InitOfNoScale", "loss.scale_init = 2.0", "loss.scale_init = 2.0"},
        Impossible{"InfiniteScale", "loss.scale = \"dynamic\"\nloss.scale_init = 1e39",
                   "loss.scale_init = 1e+39"},
        Impossible{"ScaleThatDoesNotGrow", "loss.scale = \"dynamic\"\nloss.scale_growth = 1.0",
                   "loss.scale_growth = 1.0"},
        Impossible{"BackoffThatGrows", "loss.scale = \"dynamic\"\nloss.scale_backoff = 2.0",
                   "loss.scale_backoff = 2.0"},
        Impossible{"NoInterval", "loss.scale = \"dynamic\"\nloss.scale_interval = 0",
                   "loss.scale_interval = 0"},
        Impossible{"ScaleOfChunks", "loss.scale = \"dynamic\"\nloss.chunks = 2", "loss.scale = \"dynamic\""},
        Impossible{"ScaleOfStages", "loss.scale = \"dynamic\"\nparallel.pp = 2", "loss.scale = \"dynamic\""},
        Impossible{"ScaleOfStagesAfterARestart",
                   "loss.scale = \"dynamic\"\nparallel.dp_shard = 2\ncheckpoint.restart_after = 2\n"
                   "checkpoint.resume_dp_shard = 1\ncheckpoint.resume_pp = 2",
                   "loss.scale = \"dynamic\"", resumed},
        Impossible{"ScaleOfResidues", "loss.scale = \"dynamic\"\ndtype = \"exact\"",
                   "loss.scale = \"dynamic\""},
        Impossible{"Float16WithoutAutocast", "train.autocast_dtype = \"float16\"",
                   "train.autocast_dtype = \"float16\""},
        Impossible{"SeedWithoutChance", "optimizer.weights = \"kahan\"\noptimizer.rounding_seed = 1",
                   "optimizer.rounding_seed = 1"},
        Impossible{"ChanceOnADevice", "optimizer.weights = \"stochastic\"\ndevice = \"cuda\"",
                   "optimizer.weights = \"stochastic\""}),
    name_of_rule);

}  // namespace
}  // namespace parity::reference
