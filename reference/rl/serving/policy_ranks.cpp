// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/rl/serving/policy_ranks.hpp"

#include <numeric>
#include <utility>

namespace parity::reference {

PolicyRanks policy_ranks(const RunConfig& config, GroupPointer all) {
  const auto& generator = config.rl.generator;
  const int64_t before = generator.ranks > 0 ? all->size() - generator.ranks : 0;
  PolicyRanks result{std::move(all), nullptr, 1, 0};
  result.generators = (result.all->size() - before) / generator.tp;
  const int64_t own = result.all->rank() - before;
  if (own < 0)
    return result;
  result.generator = own / generator.tp;
  std::vector<int64_t> ranks(static_cast<size_t>(generator.tp));
  std::iota(ranks.begin(), ranks.end(), before + result.generator * generator.tp);
  result.tensor = result.all->subgroup("generator", ranks);
  return result;
}

}  // namespace parity::reference
