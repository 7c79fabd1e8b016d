// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reference/config/run_config.hpp"

namespace parity::reference {

/// Dimensions of a Llama 3 model, complete. Source: NUMERICS.md 4.1 and 4.2.
struct Llama3Dimensions {
  int64_t dim = 256;
  int64_t n_layers = 6;
  int64_t n_heads = 16;
  int64_t n_kv_heads = 16;
  int64_t vocab_size = 2048;
  int64_t ffn_hidden = 768;
  int64_t max_seq_len = 2048;
  double rope_theta = 5e5;
  double norm_eps = 1e-5;
  bool rope_scaling = true;  ///< Llama 3's frequency scaling

  int64_t head_dim() const { return dim / n_heads; }
};

/// Names of the models in the one table of models.
std::vector<std::string> model_names();

/// The named model with the architecture's departures. The feed-forward width follows a changed `dim`:
/// int(8 dim / 3) rounded up to a multiple of 256. \throws UserError for an unknown name.
Llama3Dimensions dimensions_of(std::string_view model, const ArchitectureConfig& architecture);

}  // namespace parity::reference
