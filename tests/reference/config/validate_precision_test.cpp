// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "reference/config/read.hpp"
#include "reference/config/validate.hpp"

namespace parity::reference {
namespace {

struct RefusedPrecision {
  const char* name;
  const char* toml;
  const char* named;  // what the message names first
};

class PrecisionRules : public testing::TestWithParam<RefusedPrecision> {};

TEST_P(PrecisionRules, RefuseWhatDoesNotWorkTogether) {
  RunConfig config;
  read_toml(config, GetParam().toml, "run.toml");
  try {
    validate(config);
    FAIL() << "accepted " << GetParam().toml;
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("cannot use " + std::string(GetParam().named) + " ("));
    EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr(" ("), testing::HasSubstr("); ")));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Rules, PrecisionRules,
    testing::Values(
        RefusedPrecision{"ScalesWithoutARecipe", "linear.scales = \"unit\"", "linear.scales = \"unit\""},
        RefusedPrecision{"GradientsOfNvfp4", "linear.recipe = \"nvfp4\"\nlinear.gradients = \"e5m2\"",
                         "linear.gradients = \"e5m2\""},
        RefusedPrecision{"PowersOfTwoOfMx", "linear.recipe = \"mxfp8\"\nlinear.scales = \"power_of_two\"",
                         "linear.scales = \"power_of_two\""},
        RefusedPrecision{"RoundedUpFloat8", "linear.recipe = \"float8_row\"\nlinear.scales = \"round_up\"",
                         "linear.scales = \"round_up\""},
        RefusedPrecision{"TwoRecipes", "linear.recipe = \"mxfp8\"\ntrain.float8 = \"each_forward\"",
                         "linear.recipe = \"mxfp8\""},
        RefusedPrecision{"RecipeUnderAutocast", "linear.recipe = \"mxfp8\"\ntrain.autocast = true",
                         "linear.recipe = \"mxfp8\""},
        RefusedPrecision{"RecipeOfParts", "linear.recipe = \"mxfp8\"\nparallel.tp = 2",
                         "linear.recipe = \"mxfp8\""},
        RefusedPrecision{"RecipeOfPartsAfterARestart",
                         "linear.recipe = \"mxfp8\"\nparallel.dp_shard = 2\ncheckpoint.restart_after = 2\n"
                         "checkpoint.resume_dp_shard = 1\ncheckpoint.resume_tp = 2",
                         "linear.recipe = \"mxfp8\""},
        RefusedPrecision{"RecipeOfExperts", "model = \"qwen3.debug_moe_8\"\nlinear.recipe = \"nvfp4\"",
                         "linear.recipe = \"nvfp4\""},
        RefusedPrecision{"RecipeOfAdapters", "linear.recipe = \"mxfp8\"\nlora.rank = 2",
                         "linear.recipe = \"mxfp8\""},
        RefusedPrecision{"InitOfNoScale", "loss.scale_init = 2.0", "loss.scale_init = 2.0"},
        RefusedPrecision{"InfiniteScale", "loss.scale = \"dynamic\"\nloss.scale_init = 1e39",
                         "loss.scale_init = 1e+39"},
        RefusedPrecision{"ScaleThatDoesNotGrow", "loss.scale = \"dynamic\"\nloss.scale_growth = 1.0",
                         "loss.scale_growth = 1.0"},
        RefusedPrecision{"BackoffThatGrows", "loss.scale = \"dynamic\"\nloss.scale_backoff = 2.0",
                         "loss.scale_backoff = 2.0"},
        RefusedPrecision{"NoInterval", "loss.scale = \"dynamic\"\nloss.scale_interval = 0",
                         "loss.scale_interval = 0"},
        RefusedPrecision{"ScaleOfChunks", "loss.scale = \"dynamic\"\nloss.chunks = 2",
                         "loss.scale = \"dynamic\""},
        RefusedPrecision{"ScaleOfStages", "loss.scale = \"dynamic\"\nparallel.pp = 2",
                         "loss.scale = \"dynamic\""},
        RefusedPrecision{"ScaleOfStagesAfterARestart",
                         "loss.scale = \"dynamic\"\nparallel.dp_shard = 2\ncheckpoint.restart_after = 2\n"
                         "checkpoint.resume_dp_shard = 1\ncheckpoint.resume_pp = 2",
                         "loss.scale = \"dynamic\""},
        RefusedPrecision{"ScaleOfResidues", "loss.scale = \"dynamic\"\ndtype = \"exact\"",
                         "loss.scale = \"dynamic\""},
        RefusedPrecision{"Float16WithoutAutocast", "train.autocast_dtype = \"float16\"",
                         "train.autocast_dtype = \"float16\""},
        RefusedPrecision{"SeedWithoutChance", "optimizer.weights = \"kahan\"\noptimizer.rounding_seed = 1",
                         "optimizer.rounding_seed = 1"},
        RefusedPrecision{"ChanceOnADevice", "optimizer.weights = \"stochastic\"\ndevice = \"cuda\"",
                         "optimizer.weights = \"stochastic\""}),
    [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace parity::reference
