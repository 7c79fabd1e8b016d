// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
// Rules of narrow types: recipes of linear layers, the scale of the loss, and how weights are stored.
#include <cmath>
#include <string>

#include "reference/config/model_names.hpp"
#include "reference/config/rules/rules.hpp"

namespace parity::reference {
namespace {

bool is_float8(LinearRecipe recipe) {
  return recipe == LinearRecipe::float8_tensor || recipe == LinearRecipe::float8_row ||
         recipe == LinearRecipe::float8_block;
}

/// Which recipe knows which format and which rule of scales.
void check_parts_of_recipes(const LinearConfig& linear, const Rules& rules) {
  const std::string name(name_of(linear.recipe));
  const bool rounds = linear.recipe != LinearRecipe::none;
  rules.used_or_default(rounds && linear.recipe != LinearRecipe::nvfp4, "linear.gradients", name,
                        "set linear.recipe to float8 or mxfp8");
  rules.used_or_default(rounds, "linear.scales", name, "set linear.recipe");
  rules.rule(linear.scales != LinearScales::power_of_two || is_float8(linear.recipe), "linear.scales",
             name + " has a rule of scales of its own", "set linear.recipe to float8");
  rules.rule(linear.scales != LinearScales::round_up || linear.recipe == LinearRecipe::mxfp8, "linear.scales",
             name + " has no scale that may saturate", "set linear.recipe = \"mxfp8\"");
}

/// Returns the length of the blocks that shards of a matrix have whole; 1 = a shard may end anywhere.
int64_t block_of(LinearRecipe recipe) {
  return recipe == LinearRecipe::float8_block ? 128
         : recipe == LinearRecipe::mxfp8      ? 32
         : recipe == LinearRecipe::nvfp4      ? 16
                                              : 1;
}

/// Which shards of tensor parallelism have the blocks of one process.
void check_shards(const RunConfig& config, const Rules& rules) {
  const LinearRecipe recipe = config.linear.recipe;
  const int64_t tp = config.parallel.tp, block = block_of(recipe);
  rules.used_or_default(tp > 1 && config.linear.scales != LinearScales::unit &&
                            (recipe == LinearRecipe::float8_tensor || recipe == LinearRecipe::float8_row ||
                             recipe == LinearRecipe::nvfp4),
                        "linear.tp_scales", "a run whose scales reach over no shards",
                        "set parallel.tp, and linear.recipe to float8_tensor, float8_row or nvfp4");
  if (recipe == LinearRecipe::none || tp == 1)
    return;
  const ModelDimensions d = dimensions_of(config);
  rules.rule(!d.is_latent(), "linear.recipe",
             "gradients of latents are terms of a sum over the ranks of parallel.tp, and each would be "
             "quantised by itself",
             "set parallel.tp = 1");
  const bool has_dense = d.moe.experts == 0 || d.moe.every > 1 || d.moe.dense_blocks > 0;
  for (const auto& [what, width] :
       {std::pair("queries", d.n_heads * d.head_dim()), std::pair("keys", d.n_kv_heads * d.head_dim()),
        std::pair("gates of heads", d.gate == AttentionGate::heads ? d.n_heads : 0),
        std::pair("a feed-forward layer", has_dense ? d.ffn_hidden : 0),
        std::pair("an expert", d.moe.experts > 0 ? d.moe.hidden : 0),
        std::pair("shared experts", d.moe.experts > 0 ? d.moe.shared_hidden : 0)})
    rules.rule(
        width % (block * tp) == 0, "linear.recipe",
        "the width " + std::to_string(width) + " of " + what + " leaves the ranks of parallel.tp = " +
            std::to_string(tp) + " with parts of blocks of " + std::to_string(block),
        "choose a width that " + std::to_string(block * tp) + " divides, or linear.recipe = \"float8_row\"");
}

void check_recipe(const RunConfig& config, const Rules& rules) {
  check_parts_of_recipes(config.linear, rules);
  check_shards(config, rules);
  rules.rule(config.train.float8 != Float8Scales::first || config.dtype != Precision::exact, "train.float8",
             "weights that outgrow the first scales are cut, and residues have no order",
             "set dtype = \"float64\"");
  if (config.linear.recipe == LinearRecipe::none)
    return;
  const auto refuse = [&](bool is_used, const std::string& why, const std::string& remedy) {
    rules.rule(!is_used, "linear.recipe", why, remedy);
  };
  refuse(config.train.float8 != Float8Scales::none, "train.float8 rounds the weights already",
         "set train.float8 = \"none\"");
  refuse(config.train.autocast, "autocast casts the operands of its products itself",
         "set train.autocast = false, or parallel.mixed_precision with FSDP units");
  refuse(dimensions_of(config).moe.matmul == ExpertMatmul::grouped_bf16,
         "the grouped product of experts casts its operands to bfloat16 itself", "set moe.matmul = \"loop\"");
  refuse(config.lora.rank > 0 && config.lora.form == LoraForm::merged,
         "the sum of a matrix and its adapter would be rounded, and with it what the adapter learnt",
         "set lora.form = \"unmerged\"");
  refuse(config.train.batch_invariant, "scales of gradients depend on the batch",
         "set train.batch_invariant = false");
  refuse(config.data.source == DataSource::rollouts, "the generator would sample from unrounded weights",
         "choose another data.source");
}

void check_loss_scale(const RunConfig& config, const Rules& rules) {
  const LossConfig& loss = config.loss;
  const bool scales = loss.scale == LossScale::dynamic;
  for (const char* key : {"loss.scale_init", "loss.scale_growth", "loss.scale_backoff", "loss.scale_interval",
                          "loss.scale_holds_schedule"})
    rules.used_or_default(scales, key, "a loss without a scale", "set loss.scale = \"dynamic\"");
  rules.rule(loss.scale_init > 0 && loss.scale_init <= 0x1p127, "loss.scale_init",
             "a scale is positive and finite in float32", "the usual value is 65536");
  rules.rule(loss.scale_growth > 1 && std::isfinite(loss.scale_growth), "loss.scale_growth",
             "the scale would not grow", "the usual value is 2");
  rules.rule(loss.scale_backoff > 0 && loss.scale_backoff < 1, "loss.scale_backoff",
             "the scale would not fall", "the usual value is 0.5");
  rules.at_least(loss.scale_interval, 1, "loss.scale_interval");
  if (!scales)
    return;
  const auto refuse = [&](bool is_used, const std::string& why, const std::string& remedy) {
    rules.rule(!is_used, "loss.scale", why, remedy);
  };
  refuse(loss.chunks > 0, "the loss in chunks calls backward itself", "set loss.chunks = 0");
  refuse(config.parallel.pp > 1, "the stages of a pipeline call backward themselves", "set parallel.pp = 1");
  refuse(config.data.source == DataSource::rollouts,
         "a policy's update ends at a gradient that is not finite", "choose another data.source");
  refuse(dimensions_of(config).moe.experts > 0, "routers add losses of their own, which have no scale",
         "choose a model without experts");
  refuse(config.dtype == Precision::exact, "residues do not overflow, so no update would be skipped",
         "choose another dtype");
}

}  // namespace

void check_precision(const RunConfig& config, const Rules& rules) {
  check_recipe(config, rules);
  check_loss_scale(config, rules);
  rules.used_or_default(config.train.autocast, "train.autocast_dtype", "a run without autocast",
                        "set train.autocast = true");
  rules.used_or_default(config.optimizer.weights == WeightStorage::stochastic, "optimizer.rounding_seed",
                        "a run without stochastic rounding", "set optimizer.weights = \"stochastic\"");
  rules.rule(config.optimizer.weights != WeightStorage::stochastic || config.device == DeviceChoice::cpu,
             "optimizer.weights", "its draws are computed by the CPU",
             "set device = \"cpu\" or another storage");
  rules.at_least(config.optimizer.rounding_seed, 0, "optimizer.rounding_seed");
  rules.rule(config.optimizer.weights == WeightStorage::float32 || config.data.source != DataSource::rollouts,
             "optimizer.weights", "the generator keeps weights of its own dtype, rl.generator.dtype",
             "choose another data.source");
}

}  // namespace parity::reference
