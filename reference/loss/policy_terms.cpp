// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/loss/policy_terms.hpp"

#include <algorithm>

namespace parity::reference {
namespace {

double own(double given, double usual) {
  return given > 0 ? given : usual;
}

}  // namespace

PolicySums& PolicySums::operator+=(const PolicySums& other) {
  tokens += other.tokens;
  terms += other.terms;
  ratio += other.ratio;
  clipped += other.clipped;
  diff += other.diff;
  different += other.different;
  equal += other.equal;
  entropy += other.entropy;
  kl += other.kl;
  correction += other.correction;
  cut += other.cut;
  pairs += other.pairs;
  margin += other.margin;
  preferred += other.preferred;
  if (!(other.max_diff <= max_diff))  // also if it is NaN
    max_diff = other.max_diff;
  return *this;
}

bool shares_by_token(const RlConfig& config) {
  return config.packing != RolloutPacking::none || config.normalization == PolicyNormalization::prompt_mean;
}

Clip clip_of(const RlConfig& config) {
  switch (config.loss) {
    case PolicyLossName::gspo:
      return {1 - own(config.clip_low, 3e-4), 1 + own(config.clip_high, 4e-4)};
    case PolicyLossName::cispo:
      return {1 - own(config.clip_low, 1), 1 + own(config.clip_high, 0.2)};
    case PolicyLossName::dapo:
      return {1 - own(config.clip_low, 0.2), 1 + own(config.clip_high, 0.28)};
    default:
      return {1 - own(config.clip_low, 0.2), 1 + own(config.clip_high, 0.2)};
  }
}

double total(const torch::Tensor& x) {
  return x.detach().to(torch::kFloat64).sum().item<double>();
}

void count_ratios(PolicySums& sums, const torch::Tensor& ratio, const torch::Tensor& clipped) {
  const torch::NoGradGuard no_grad;
  sums.ratio = total(ratio);
  sums.clipped = total((ratio - clipped).abs().gt(shown_difference));
}

torch::Tensor divergence_terms(const PolicyTokens& tokens) {
  constexpr double largest = 20, largest_term = 10;
  const torch::Tensor e_BS = (tokens.reference - tokens.logprobs)
                                 .masked_fill(tokens.counts.logical_not(), 0)
                                 .clamp(-largest, largest);
  return (e_BS.exp() - e_BS - 1).clamp(-largest_term, largest_term);
}

}  // namespace parity::reference
