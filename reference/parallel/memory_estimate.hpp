// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reference/config/run_config.hpp"

namespace parity::reference {

/// What the rank of a pipeline's place that holds most keeps from one update to the next, in bytes.
struct MemoryEstimate {
  int64_t parameters = 0;  ///< elements that it trains
  int64_t weights = 0;
  int64_t gradients = 0;
  int64_t optimizer = 0;  ///< moments
  /// Beside these, while it computes: units of FSDP that are whole at one time.
  int64_t gathered = 0;
  int64_t served = 0;  ///< of a policy: its generator's weights, those that a push stages, the reference

  int64_t total() const { return weights + gradients + optimizer + gathered + served; }
};

/// Of each rank along pp, from the shapes of a model that takes no memory. Activations, logits and buffers of
/// collectives come on top.
/// \param config  validated
std::vector<MemoryEstimate> estimate_memory(const RunConfig& config);

/// Parameters of the whole model.
int64_t parameter_count(const RunConfig& config);

/// The lines that `parity-train --estimate` prints.
std::string estimate_text(const RunConfig& config);

}  // namespace parity::reference
