// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/precision.hpp"

namespace parity {

bool computes_in_16_bits(const FlatConfig& config) {
  const auto is = [&](const char* key, const Json& value) {
    const auto found = config.find(key);
    return found != config.end() && found->second == value;
  };
  return !is("dtype", "float64") && (is("train.autocast", true) || is("parallel.mixed_precision", "bf16"));
}

FlatConfig without_16_bits() {
  return {{"train.autocast", false}, {"parallel.mixed_precision", "none"}};
}

}  // namespace parity
