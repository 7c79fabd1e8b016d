// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/rl/advantages.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "harness/base/error.hpp"

namespace parity::reference {

namespace {

void require_finite(std::span<const double> rewards) {
  for (size_t i = 0; i < rewards.size(); ++i)
    if (!std::isfinite(rewards[i]))
      throw UserError("reward " + std::to_string(i + 1) + " of a group of " + std::to_string(rewards.size()) +
                      " is " + std::to_string(rewards[i]) +
                      " (it gives no advantage); fix the task's reward");
}

}  // namespace

std::vector<double> advantages(std::span<const double> rewards, AdvantageRule rule) {
  constexpr double eps = 1e-6;
  require(!rewards.empty(), "a group without rewards");
  require_finite(rewards);
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

std::vector<double> preferences(std::span<const double> rewards) {
  require(rewards.size() == 2, "a preference of other than two");
  require_finite(rewards);
  const double first = rewards[0] > rewards[1] ? 1 : rewards[0] < rewards[1] ? -1 : 0;
  return {first, 0 - first};
}

double overlong_punishment(int64_t tokens, int64_t longest, int64_t buffer) {
  if (buffer == 0)
    return 0;
  const double over = static_cast<double>(tokens - (longest - buffer)) / static_cast<double>(buffer);
  return std::clamp(over, 0.0, 1.0);
}

}  // namespace parity::reference
