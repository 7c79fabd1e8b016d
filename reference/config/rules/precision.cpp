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

void check_recipe(const RunConfig& config, const Rules& rules) {
  check_parts_of_recipes(config.linear, rules);
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
  refuse(config.parallel.tp > 1, "the blocks of a scale would reach over parts of a matrix",
         "set parallel.tp = 1");
  refuse(dimensions_of(config).moe.experts > 0, "the products of experts would keep their precision",
         "choose a model without experts");
  refuse(config.lora.rank > 0, "the products of adapters would keep their precision", "set lora.rank = 0");
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
