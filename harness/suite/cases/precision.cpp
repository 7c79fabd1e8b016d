// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/cases/precision.hpp"

namespace parity::suite {

bool computes_in_16_bits(const FlatConfig& config) {
  const auto is = [&](const char* key, const Json& value) {
    const auto found = config.find(key);
    return found != config.end() && found->second == value;
  };
  const bool rounds_weights = config.contains("train.float8") && !is("train.float8", "none");
  return !is("dtype", "float64") && (is("train.autocast", true) || is("parallel.mixed_precision", "bf16") ||
                                     is("rl.generator.dtype", "bfloat16") || rounds_weights);
}

FlatConfig without_16_bits() {
  return {{"train.autocast", false},
          {"parallel.mixed_precision", "none"},
          {"rl.generator.dtype", "trainer"},
          {"train.float8", "none"}};
}

}  // namespace parity::suite
