// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/laws/gradients/sum_terms.hpp"
#include "harness/laws/run/recorded_run.hpp"

// What a trainer may multiply a sum of gradients by.

namespace parity::laws {

/// A factor that trainers use, and what it means.
struct Factor {
  double value = 1;
  std::string text;
};

/// Returns the factors of a sum, of a mean, and of sums divided by tokens or by a scale of the loss.
std::vector<Factor> known_factors(const RecordedRun& run, int64_t step, const SumTerms& terms);

/// Returns the factor that most tensors of a step have; nothing if none of the known ones gives any tensor.
/// \param count  set to the number of these tensors
std::optional<Factor> common_factor(const std::vector<Factor>& factors, const std::vector<SumTerms>& all,
                                    size_t* count = nullptr);

/// Returns the factors that a config of parity-train allows for micro-batches: every loss is divided before
/// backward, so their gradients are summed. A run of one rank does not show the gradient before the
/// reduction.
std::vector<Factor> allowed_factors(const RecordedRun& run, int64_t step, const std::vector<Factor>& known);

/// Returns the factors for the micro-batches of all ranks: a mean over ranks divides their sum.
std::vector<Factor> joint_factors(const RecordedRun& run, int64_t step, const std::vector<Factor>& known,
                                  const std::vector<SumTerms>& all);

}  // namespace parity::laws
