// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/gradients/sum_factors.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

namespace parity::laws {
namespace {

/// Returns the factors of a config of parity-train for gradients after their reduction. Only gradient_scaling
/// divides the sum by the tokens that count, and only a loss scale is taken out of it.
/// \param sum  the factor of the reduction
std::vector<Factor> reduced_factors(const RecordedRun& run, int64_t step, const Factor& sum,
                                    const std::vector<Factor>& known) {
  std::vector<Factor> allowed = {sum};
  if (run.config_text("loss.normalization") == "gradient_scaling")
    for (const Factor& factor : known)
      if (factor.text.ends_with("valid_tokens"))
        allowed.push_back(factor);
  if (const auto scale = run.channel("loss_scale", step); scale && *scale > 0)
    for (Factor& factor : allowed)
      factor = {factor.value / *scale, factor.text + " over the loss scale"};
  return allowed;
}

}  // namespace

std::vector<Factor> known_factors(const RecordedRun& run, int64_t step, const SumTerms& terms) {
  const std::string sum = fmt::format("the sum of the {}' gradients", terms.many);
  std::vector<Factor> list = {{1, sum},
                              {1 / static_cast<double>(terms.terms.size()),
                               fmt::format("the mean of the {}' gradients", terms.many)}};
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

std::vector<Factor> allowed_factors(const RecordedRun& run, int64_t step, const std::vector<Factor>& known) {
  if (run.config_text("loss.normalization").empty())
    return known;
  return run.trace().ranks() == 1 ? reduced_factors(run, step, known.front(), known)
                                  : std::vector<Factor>{known.front()};
}

std::vector<Factor> joint_factors(const RecordedRun& run, int64_t step, const std::vector<Factor>& known,
                                  const std::vector<SumTerms>& all) {
  size_t most = 1;
  for (const SumTerms& terms : all) {
    std::set<int64_t> ranks;
    for (const TermOf& each : terms.of)
      ranks.insert(each.rank);
    most = std::max(most, ranks.size());
  }
  const Factor mean = {1 / static_cast<double>(most),
                       "the mean over ranks of the sum of the micro-batches' gradients"};
  if (run.config_text("loss.normalization").empty()) {
    std::vector<Factor> both = known;
    both.push_back(mean);
    return both;
  }
  const bool averages = run.config_text("parallel.gradient_reduction") == "average";
  return reduced_factors(run, step, averages ? mean : known.front(), known);
}

}  // namespace parity::laws
