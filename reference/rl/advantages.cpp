// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/rl/advantages.hpp"

#include <cmath>
#include <numeric>

#include "harness/base/error.hpp"

namespace parity::reference {

std::vector<double> advantages(std::span<const double> rewards, AdvantageRule rule) {
  constexpr double eps = 1e-6;
  require(!rewards.empty(), "a group without rewards");
  for (size_t i = 0; i < rewards.size(); ++i)
    if (!std::isfinite(rewards[i]))
      throw UserError("reward " + std::to_string(i + 1) + " of a group of " + std::to_string(rewards.size()) +
                      " is " + std::to_string(rewards[i]) +
                      " (it gives no advantage); fix the task's reward");
  const auto n = static_cast<double>(rewards.size());
  const bool is_alone = rewards.size() == 1 && rule == AdvantageRule::sample_std;
  const double mean = is_alone ? 0 : std::accumulate(rewards.begin(), rewards.end(), 0.0) / n;
  double squares = 0;
  for (const double reward : rewards)
    squares += (reward - mean) * (reward - mean);
  double divisor = 1;
  if (rule == AdvantageRule::population_std)
    divisor = std::sqrt(squares / n) + eps;
  else if (rule == AdvantageRule::sample_std)
    divisor = (is_alone ? 1 : std::sqrt(squares / (n - 1))) + eps;
  std::vector<double> result;
  for (const double reward : rewards)
    result.push_back((reward - mean) / divisor);
  return result;
}

}  // namespace parity::reference
