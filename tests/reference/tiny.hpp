// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/config/model_names.hpp"
#include "reference/config/run_config.hpp"

namespace parity::reference {

/// A model that trains in a millisecond: 2 layers of width 16, 4 query heads on 2 key heads, 40 tokens.
inline RunConfig tiny_config(Precision dtype = Precision::float32) {
  RunConfig config;
  config.architecture = {.dim = 16,
                         .n_layers = 2,
                         .n_heads = 4,
                         .n_kv_heads = 2,
                         .vocab_size = 40,
                         .ffn_hidden = 24,
                         .max_seq_len = 32};
  config.data.seq_len = 12;
  config.steps = 6;
  config.dtype = dtype;
  return config;
}

inline ModelDimensions tiny_dimensions() {
  const RunConfig config = tiny_config();
  return dimensions_of(config);
}

}  // namespace parity::reference
