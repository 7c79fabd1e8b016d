// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "reference/model/decoder/decoder.hpp"
#include "tests/reference/tiny.hpp"

namespace parity::reference {

/// Returns the number of parameters of a model, without allocating them.
inline int64_t parameter_count(const char* model) {
  ModelDimensions dimensions = dimensions_of(model, {});
  dimensions.max_seq_len = 8;
  const Decoder decoder(dimensions, torch::kFloat32, {}, torch::kMeta);
  int64_t count = 0;
  for (const Parameter& parameter : decoder.parameters())
    count += parameter.value.numel();
  return count;
}

/// Returns the angle [radians per position] by which a RoPE table rotates pair j.
inline double frequency(const torch::Tensor& table, int64_t j) {
  return at::angle(table[1][j]).item<double>();
}

}  // namespace parity::reference
