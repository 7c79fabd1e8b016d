// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "reference/config/run_config.hpp"

namespace parity::reference {

/// Returns the advantage of each completion of a prompt over the others, from their rewards r:
///
/// | mean           | r - mean(r)                              | Dr. GRPO; torchtitan's default          |
/// | population_std | (r - mean) / (sqrt(sum d^2 / n) + 1e-6)  | torchtitan with should_std_normalize    |
/// | sample_std     | (r - mean) / (sqrt(sum d^2 / (n - 1)) + 1e-6); a group of one: r / (1 + 1e-6) | verl |
///
/// \param rewards  of one group, not empty
/// \throws UserError if one is not finite, naming it
/// Source: NUMERICS.md 8.2.
std::vector<double> advantages(std::span<const double> rewards, AdvantageRule rule);

}  // namespace parity::reference
