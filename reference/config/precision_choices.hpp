// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/base/enum_names.hpp"

// The values of keys that choose narrow types: of matrix products, of the loss's scale and of stored weights.

namespace parity::reference {

/// In which blocks and formats linear layers quantise what they multiply.
enum class LinearRecipe { none, float8_tensor, float8_row, float8_block, mxfp8, nvfp4 };
constexpr auto enum_names(LinearRecipe) {
  return named<LinearRecipe::nvfp4>(
      "recipe of linear layers", {"none", "float8_tensor", "float8_row", "float8_block", "mxfp8", "nvfp4"});
}

/// Format of the gradients of a linear layer's output: the recipe's, or another one.
enum class LinearGradients { recipe, e4m3, e5m2 };
constexpr auto enum_names(LinearGradients) {
  return named<LinearGradients::e5m2>("format of gradients", {"recipe", "e4m3", "e5m2"});
}

/// Scales of a recipe: its own, or another rule. `unit` does not scale, a defect to be found.
enum class LinearScales { recipe, power_of_two, round_up, unit };
constexpr auto enum_names(LinearScales) {
  return named<LinearScales::unit>("rule of scales", {"recipe", "power_of_two", "round_up", "unit"});
}

/// Scales of matrices that tensor parallelism shards: those of the whole matrix, or of each rank's shard.
enum class ShardScales { whole, shard };
constexpr auto enum_names(ShardScales) {
  return named<ShardScales::shard>("scales of shards", {"whole", "shard"});
}

enum class LossScale { none, dynamic };
constexpr auto enum_names(LossScale) {
  return named<LossScale::dynamic>("loss scale", {"none", "dynamic"});
}

enum class AutocastDtype { bfloat16, float16 };
constexpr auto enum_names(AutocastDtype) {
  return named<AutocastDtype::float16>("dtype of autocast", {"bfloat16", "float16"});
}

/// How parameters are stored between updates: in float32, or with values of bfloat16 that the optimizer
/// rounds to nearest, rounds stochastically, compensates (Kahan), or copies from float32 master weights.
enum class WeightStorage { float32, bfloat16, stochastic, kahan, master };
constexpr auto enum_names(WeightStorage) {
  return named<WeightStorage::master>("storage of weights",
                                      {"float32", "bfloat16", "stochastic", "kahan", "master"});
}

}  // namespace parity::reference
