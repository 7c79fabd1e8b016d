// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/laws/run/recorded_run.hpp"

namespace parity::laws {

/// The gradients of one tensor, or of one shard of it, on the ranks whose terms a reduction adds.
struct RankTerms {
  std::string name;
  std::vector<int64_t> ranks = {};              ///< one for each term
  std::vector<std::vector<double>> terms = {};  ///< before the reduction
  std::vector<std::vector<double>> after = {};  ///< on the same ranks
  double roundoff = 0;                          ///< of the reduced gradient
};

/// Reads the terms of every tensor of a step. Leaves out tensors that are not summed over ranks, and those of
/// which the reduction scatters the result.
std::vector<RankTerms> read_terms(const RecordedRun& run, int64_t step);

/// Returns the weights w that bring sum of w_k terms[k] closest to a gradient; nothing if the terms are not
/// independent.
std::optional<std::vector<double>> fit_weights(const RankTerms& terms, const std::vector<double>& gradient);

}  // namespace parity::laws
