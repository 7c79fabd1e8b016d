// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/cases/precision.hpp"

namespace parity::suite {

bool computes_in_16_bits(const FlatConfig& config) {
  const auto is = [&](const char* key, const Json& value) {
    const auto found = config.find(key);
    return found != config.end() && found->second == value;
  };
  const auto is_set = [&](const char* key, const char* off) { return config.contains(key) && !is(key, off); };
  const bool rounds = is_set("train.float8", "none") || is_set("linear.recipe", "none") ||
                      is_set("optimizer.weights", "float32");
  return !is("dtype", "float64") && (is("train.autocast", true) || is("parallel.mixed_precision", "bf16") ||
                                     is("rl.generator.dtype", "bfloat16") || rounds);
}

FlatConfig without_16_bits() {
  return {{"train.autocast", false},
          {"parallel.mixed_precision", "none"},
          {"rl.generator.dtype", "trainer"},
          {"train.float8", "none"},
          {"train.autocast_dtype", "bfloat16"},
          {"linear.recipe", "none"},
          {"linear.gradients", "recipe"},
          {"linear.scales", "recipe"},
          {"linear.tp_scales", "whole"},
          {"optimizer.weights", "float32"},
          {"optimizer.rounding_seed", 0}};
}

}  // namespace parity::suite
