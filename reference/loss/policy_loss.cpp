// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/loss/policy_loss.hpp"

#include <algorithm>

#include "harness/base/error.hpp"

namespace parity::reference {
namespace {

constexpr double shown = 1e-6;  // metrics ignore smaller differences

struct Clip {
  double low, high;
};

Clip clip_of(const RlConfig& config) {
  const double own_high = config.loss == PolicyLossName::dapo ? 0.28 : 0.2;
  return {1 - (config.clip_low > 0 ? config.clip_low : 0.2),
          1 + (config.clip_high > 0 ? config.clip_high : own_high)};
}

double total(const torch::Tensor& x) {
  return x.detach().to(torch::kFloat64).sum().item<double>();
}

/// The loss of each token, and its ratios.
struct TokenTerms {
  torch::Tensor loss_BS, ratio_BS, clipped_BS;
};

TokenTerms clipped_surrogate(const torch::Tensor& d_BS, const torch::Tensor& A_BS, const Clip& clip) {
  constexpr double largest = 10;
  const torch::Tensor ratio = d_BS.clamp(-largest, largest).exp();
  const torch::Tensor clipped = ratio.clamp(clip.low, clip.high);
  return {torch::min(ratio * A_BS, clipped * A_BS).neg(), ratio, clipped};
}

TokenTerms dual_clipped(const torch::Tensor& d_BS, const torch::Tensor& A_BS, const Clip& clip, double dual) {
  constexpr double largest = 20;
  const torch::Tensor ratio = d_BS.clamp(-largest, largest).exp();
  const torch::Tensor clipped = ratio.clamp(clip.low, clip.high);
  const torch::Tensor once = torch::max(-A_BS * ratio, -A_BS * clipped);
  return {torch::where(A_BS.lt(0), torch::min(-A_BS * dual, once), once), ratio, clipped};
}

TokenTerms terms_of(const torch::Tensor& d_BS, const PolicyTokens& tokens, const RlConfig& config) {
  switch (config.loss) {
    case PolicyLossName::grpo:
    case PolicyLossName::dapo:
      return clipped_surrogate(d_BS, tokens.advantages, clip_of(config));
    case PolicyLossName::ppo:
      return dual_clipped(d_BS, tokens.advantages, clip_of(config), config.dual_clip);
    case PolicyLossName::importance_sampling: {
      const torch::Tensor ratio = d_BS.exp();
      return {(ratio * tokens.advantages).neg(), ratio, ratio};
    }
    case PolicyLossName::sft:
      return {tokens.logprobs.neg(), d_BS.exp(), d_BS.exp()};
    case PolicyLossName::grpo_sequence:
      break;
  }
  throw InternalError("no loss of tokens");
}

/// Measures how the policy differs from its generator, for reports only.
PolicySums differences(const torch::Tensor& d_BS, const PolicyTokens& tokens) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor distance = d_BS.abs();
  const torch::Tensor equal = tokens.logprobs.to(torch::kFloat32).eq(tokens.generator.to(torch::kFloat32));
  PolicySums sums;
  sums.tokens = total(tokens.counts);
  sums.diff = total(d_BS);
  sums.different = total(distance.gt(shown));
  sums.equal = total(equal.logical_and(tokens.counts));
  sums.entropy = total(tokens.entropy.masked_fill(tokens.counts.logical_not(), 0));
  sums.max_diff = d_BS.numel() > 0 ? distance.max().item<double>() : 0;
  return sums;
}

void count_ratios(PolicySums& sums, const torch::Tensor& ratio, const torch::Tensor& clipped) {
  const torch::NoGradGuard no_grad;
  sums.ratio = total(ratio);
  sums.clipped = total((ratio - clipped).abs().gt(shown));
}

/// \param d_BS  0 where a token does not count
PolicyLoss loss_of_tokens(const torch::Tensor& d_BS, const PolicyTokens& tokens, const RlConfig& config,
                          const PolicyDivisor& divisor) {
  require(divisor.tokens > 0, "a policy's loss over no token");
  const torch::Tensor rest = tokens.counts.logical_not();
  const TokenTerms terms = terms_of(d_BS, tokens, config);
  PolicyLoss result{terms.loss_BS.masked_fill(rest, 0).sum() / divisor.tokens, differences(d_BS, tokens)};
  result.sums.terms = result.sums.tokens;
  count_ratios(result.sums, terms.ratio_BS.masked_fill(rest, 0), terms.clipped_BS.masked_fill(rest, 0));
  if (!tokens.reference.defined())
    return result;
  constexpr double largest = 20, largest_term = 10;
  const torch::Tensor e_BS =
      (tokens.reference - tokens.logprobs).masked_fill(rest, 0).clamp(-largest, largest);
  const torch::Tensor k3_BS = (e_BS.exp() - e_BS - 1).clamp(-largest_term, largest_term);
  result.sums.kl = total(k3_BS);
  result.loss = result.loss + config.kl_coef * (k3_BS.sum() / divisor.tokens);
  return result;
}

PolicyLoss loss_of_completions(const torch::Tensor& d_BS, const PolicyTokens& tokens, const RlConfig& config,
                               const PolicyDivisor& divisor) {
  std::vector<torch::Tensor> mean_ratios, mean_kls, advantages;
  for (int64_t row = 0; row < d_BS.size(0); ++row) {
    const torch::Tensor counts = tokens.counts[row];
    if (!counts.any().item<bool>())
      continue;
    const auto own = [&](const torch::Tensor& x_BS) { return x_BS[row].masked_select(counts); };
    // The mean comes before the divergence, as in torchtitan, which fixes the order of adding gradients.
    torch::Tensor log_ratio = own(tokens.logprobs);
    if (tokens.reference.defined())
      log_ratio = log_ratio - own(tokens.reference);
    mean_ratios.push_back(log_ratio.mean());
    if (tokens.reference.defined())
      mean_kls.push_back((log_ratio.exp() - 1 - log_ratio).mean());
    advantages.push_back(own(tokens.advantages)[0]);
  }
  PolicyLoss result{tokens.logprobs.sum() * 0, differences(d_BS, tokens)};
  if (mean_ratios.empty())
    return result;
  const bool own_mean = config.normalization == PolicyNormalization::rank_mean;
  const auto mean = [&](const torch::Tensor& x_N) {
    return own_mean ? x_N.mean() : x_N.sum() / divisor.completions;
  };
  const Clip clip = clip_of(config);
  const torch::Tensor ratio_N = at::stack(mean_ratios).exp(), A_N = at::stack(advantages);
  const torch::Tensor clipped_N = ratio_N.clamp(clip.low, clip.high);
  result.loss = mean(torch::min(ratio_N * A_N, clipped_N * A_N).neg());
  result.sums.terms = static_cast<double>(mean_ratios.size());
  count_ratios(result.sums, ratio_N, clipped_N);
  if (mean_kls.empty())
    return result;
  const torch::Tensor kl_N = at::stack(mean_kls);
  result.sums.kl = total(kl_N);
  result.loss = result.loss + config.kl_coef * mean(kl_N);
  return result;
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
  max_diff = std::max(max_diff, other.max_diff);
  return *this;
}

PolicyLoss policy_loss(const PolicyTokens& tokens, const RlConfig& config, const PolicyDivisor& divisor) {
  const torch::Tensor d_BS = (tokens.logprobs - tokens.generator).masked_fill(tokens.counts.logical_not(), 0);
  PolicyLoss result = config.loss == PolicyLossName::grpo_sequence
                          ? loss_of_completions(d_BS, tokens, config, divisor)
                          : loss_of_tokens(d_BS, tokens, config, divisor);
  if (config.normalization == PolicyNormalization::times_dp)
    result.loss = result.loss * divisor.ranks;
  return result;
}

}  // namespace parity::reference
