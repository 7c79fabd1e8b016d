// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
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

/// The rewards of one prompt's completions among those of an update.
struct RewardGroup {
  size_t first = 0, size = 0;
};

/// Returns the advantages of an update's completions. With DeviationScope::group those of each group. With
/// DeviationScope::update the group's mean is taken away, and what remains is divided by the deviation of all
/// rewards of the update + 1e-6 (Lite PPO, arXiv 2508.08221, section 4.1).
/// \param groups  parts of `rewards` in order, which together are all of them
/// \throws UserError as advantages()
std::vector<double> update_advantages(std::span<const double> rewards, std::span<const RewardGroup> groups,
                                      AdvantageRule rule, DeviationScope scope);

/// Returns 1 for the completion with the larger reward and -1 for the other, of two; 0 for both if the
/// rewards are equal. \throws UserError as advantages()
std::vector<double> preferences(std::span<const double> rewards);

/// Returns what a long completion costs: 0 up to `longest` - `buffer` tokens, then linearly up to 1 at
/// `longest` tokens. \param buffer  0 = nothing costs
/// Source: DAPO (arXiv 2503.14476), equation 13.
double overlong_punishment(int64_t tokens, int64_t longest, int64_t buffer);

}  // namespace parity::reference
