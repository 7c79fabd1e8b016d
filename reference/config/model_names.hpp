// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reference/config/run_config.hpp"

namespace parity::reference {

/// Which elements of a head RoPE turns with each other.
enum class Rope { complex, rotate_half };
/// How weights are drawn: see initialize().
enum class Initialization { depth_scaled, normal };

/// What a decoder is made of, complete; the defaults are Llama 3's debug model.
/// Source: NUMERICS.md 4.1 to 4.3.
struct ModelDimensions {
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
  int64_t nope_every = 0;    ///< blocks 0, k, 2 k, ... have no RoPE; 0 = none
  int64_t head_width = 0;    ///< d; 0 = dim / n_heads
  Rope rope = Rope::complex;
  RopeWeights rope_weights = RopeWeights::own;
  bool qk_norm = false;  ///< RMSNorm of each query and key head
  bool tied = false;     ///< the embedding is the output projection too
  Initialization initialization = Initialization::depth_scaled;

  bool has_rope(int64_t layer) const { return nope_every == 0 || layer % nope_every != 0; }

  int64_t head_dim() const { return head_width > 0 ? head_width : dim / n_heads; }
};

/// Names of the models in the one table of models.
std::vector<std::string> model_names();

/// The named model with the architecture's departures. The feed-forward width follows a changed `dim`:
/// int(8 dim / 3) rounded up to a multiple of 256. \throws UserError for an unknown name.
ModelDimensions dimensions_of(std::string_view model, const ArchitectureConfig& architecture);

}  // namespace parity::reference
