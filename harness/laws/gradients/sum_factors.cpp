// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/gradients/sum_factors.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

namespace parity::laws {
std::vector<Factor> known_factors(const RecordedRun& run, int64_t step, const SumTerms& terms) {
  const std::string sum = fmt::format("the sum of the {}' gradients", terms.many);
  std::vector<Factor> list = {{1, sum},
                              {1 / static_cast<double>(terms.terms.size()),
                               fmt::format("the mean of the {}' gradients", terms.many)}};
  std::set<int64_t> ranks;
  for (const TermOf& each : terms.of)
    ranks.insert(each.rank);
  if (ranks.size() > 1)
    list.push_back({1 / static_cast<double>(ranks.size()), "the mean over ranks of " + sum});
  if (const auto tokens = run.channel("valid_tokens", step); tokens && *tokens > 1)
    list.push_back({1 / *tokens, sum + " divided by valid_tokens"});
  for (int power = 8; power <= 24; ++power)
    list.push_back({std::ldexp(1.0, -power), fmt::format("{} over a scale of 2^{}", sum, power)});
  return list;
}

std::optional<Factor> common_factor(const std::vector<Factor>& factors, const std::vector<SumTerms>& all,
                                    size_t* count) {
  std::optional<Factor> best;
  size_t most = 0;
  for (const Factor& factor : factors) {
    size_t fit = 0;
    for (const SumTerms& terms : all)
      fit += is_sum(terms, terms.sums.front().values, factor.value);
    if (fit > most) {
      most = fit;
      best = factor;
    }
  }
  if (count)
    *count = most;
  return best;
}

std::vector<Factor> allowed_factors(const RecordedRun& run, int64_t step, const std::vector<Factor>& known,
                                    SumSpan span) {
  const std::string rule = run.config_text("loss.normalization");
  const auto tokens = run.channel("valid_tokens", step), scale = run.channel("loss_scale", step);
  const bool divides = span != SumSpan::rank && rule == "gradient_scaling";
  if (rule.empty() || (divides && !(tokens && *tokens > 0)))
    return known;
  Factor factor = known.front();
  if (span == SumSpan::ranks && run.config_text("parallel.gradient_reduction") == "average") {
    const double ranks = std::max(1.0, run.config_number("parallel.dp_replicate").value_or(1)) *
                         std::max(1.0, run.config_number("parallel.dp_shard").value_or(1));
    factor = {1 / ranks, fmt::format("{} over {:.0f} ranks", factor.text, ranks)};
  }
  if (divides)
    factor = {factor.value / *tokens, factor.text + " divided by valid_tokens"};
  if (span != SumSpan::rank && scale && *scale > 0)
    factor = {factor.value / *scale, factor.text + " over the loss scale"};
  return {factor};
}

}  // namespace parity::laws
