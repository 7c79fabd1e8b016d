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

/// What a sum of gradients gives.
enum class SumSpan {
  rank,   ///< the gradient of a rank before its reduction
  alone,  ///< that of a run of one rank, which its optimizer uses
  ranks,  ///< that of all ranks, which their optimizers use
};

/// Returns the one factor that a config of parity-train gives: every loss is divided before backward, so
/// gradients are summed. An average over ranks, gradient_scaling and a loss scale divide what optimizers use.
/// Returns the known factors where no config binds the run.
std::vector<Factor> allowed_factors(const RecordedRun& run, int64_t step, const std::vector<Factor>& known,
                                    SumSpan span);

}  // namespace parity::laws
