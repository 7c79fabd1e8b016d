// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reference/config/run_config.hpp"

namespace parity::reference {

/// Memory that a rank keeps from one update to the next [bytes]. Of the ranks of a pipeline stage, this is
/// the one that holds most.
struct MemoryEstimate {
  int64_t parameters = 0;  ///< elements that it trains
  int64_t weights = 0;
  int64_t gradients = 0;
  int64_t optimizer = 0;  ///< moments
  /// While the rank computes: units of FSDP that are whole at the same time.
  int64_t gathered = 0;
  int64_t served = 0;  ///< for a policy: weights of its generator, of a push and of the reference

  int64_t total() const { return weights + gradients + optimizer + gathered + served; }
};

/// Estimates the memory of each rank along pp from the shapes of the model; nothing is allocated.
/// Activations, logits and buffers of collectives come on top.
/// \param config  validated
std::vector<MemoryEstimate> estimate_memory(const RunConfig& config);

/// Returns the number of parameters of the whole model.
int64_t parameter_count(const RunConfig& config);

/// Returns the lines that `parity-train --estimate` prints.
std::string estimate_text(const RunConfig& config);

}  // namespace parity::reference
