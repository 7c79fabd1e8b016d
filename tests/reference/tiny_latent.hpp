// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/reference/tiny.hpp"

namespace parity::reference {

/// The config keys that make a tiny model's attention latent: keys of 6 + 4 elements, values of 5, from a
/// latent of 12.
/// \param q_rank  width of the queries' latent; 0 = none
inline ArchitectureConfig latent(ArchitectureConfig architecture, int64_t q_rank) {
  architecture.n_kv_heads = 0;
  architecture.rope_scaling = RopeScalingChoice::yarn;
  architecture.q_lora_rank = q_rank;
  architecture.kv_lora_rank = 12;
  architecture.qk_nope_head_dim = 6;
  architecture.qk_rope_head_dim = 4;
  architecture.v_head_dim = 5;
  return architecture;
}

inline ModelDimensions tiny_latent(int64_t q_rank) {
  return dimensions_of("llama3.debug", latent(tiny_config().architecture, q_rank));
}

}  // namespace parity::reference
