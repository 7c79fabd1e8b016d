// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/rl/advantages.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
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

constexpr double deviation_eps = 1e-6;

double mean_reward(std::span<const double> rewards) {
  return std::accumulate(rewards.begin(), rewards.end(), 0.0) / static_cast<double>(rewards.size());
}

/// Returns what the distance from the mean is divided by; 1 of one sample.
double deviation_divisor(std::span<const double> rewards, AdvantageRule rule) {
  const auto n = static_cast<double>(rewards.size());
  const double mean = mean_reward(rewards);
  double squares = 0;
  for (const double reward : rewards)
    squares += (reward - mean) * (reward - mean);
  if (rule == AdvantageRule::population_std)
    return std::sqrt(squares / n) + deviation_eps;
  return rule == AdvantageRule::sample_std && n > 1 ? std::sqrt(squares / (n - 1)) + deviation_eps : 1;
}

}  // namespace

std::vector<double> advantages(std::span<const double> rewards, AdvantageRule rule) {
  require(!rewards.empty(), "a group without rewards");
  require_finite(rewards);
  const bool is_alone = rewards.size() == 1 && rule == AdvantageRule::sample_std;
  const double mean = is_alone ? 0 : mean_reward(rewards);
  const double divisor = is_alone ? 1 + deviation_eps : deviation_divisor(rewards, rule);
  std::vector<double> result;
  for (const double reward : rewards)
    result.push_back((reward - mean) / divisor);
  return result;
}

std::vector<double> update_advantages(std::span<const double> rewards, std::span<const RewardGroup> groups,
                                      AdvantageRule rule, DeviationScope scope) {
  const bool by_group = scope == DeviationScope::group || rule == AdvantageRule::mean;
  std::vector<double> result;
  for (const RewardGroup& group : groups)
    std::ranges::copy(
        advantages(rewards.subspan(group.first, group.size), by_group ? rule : AdvantageRule::mean),
        std::back_inserter(result));
  require(result.size() == rewards.size(), "groups that are not the whole update");
  if (!by_group)
    for (double& advantage : result)
      advantage /= deviation_divisor(rewards, rule);
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
