// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/loss/sequence_loss.hpp"

#include <vector>

#include "harness/base/error.hpp"

namespace parity::reference {
namespace {

/// Returns the sum of each row's tokens that count. [B]
torch::Tensor sums_of_rows(const torch::Tensor& x_BS, const PolicyTokens& tokens) {
  return x_BS.masked_fill(tokens.counts.logical_not(), 0).sum(-1);
}

/// Returns the advantage of each row; 0 of a row without a token that counts. [B]
torch::Tensor advantages_of_rows(const PolicyTokens& tokens) {
  const torch::Tensor first_B1 = tokens.counts.to(torch::kInt64).argmax(-1, true);
  return tokens.advantages.gather(-1, first_B1)
      .squeeze(-1)
      .masked_fill(tokens.counts.any(-1).logical_not(), 0);
}

}  // namespace

PolicyLoss grpo_sequence_loss(const PolicyTokens& tokens, const RlConfig& config,
                              const PolicyDivisor& divisor) {
  std::vector<torch::Tensor> mean_ratios, mean_kls, advantages;
  for (int64_t row = 0; row < tokens.counts.size(0); ++row) {
    const torch::Tensor counts = tokens.counts[row];
    if (!counts.any().item<bool>())
      continue;
    const auto own_tokens = [&](const torch::Tensor& x_BS) { return x_BS[row].masked_select(counts); };
    // The mean comes before the divergence, as in torchtitan, which fixes the order of adding gradients.
    torch::Tensor log_ratio = own_tokens(tokens.logprobs);
    if (tokens.reference.defined())
      log_ratio = log_ratio - own_tokens(tokens.reference);
    mean_ratios.push_back(log_ratio.mean());
    if (tokens.reference.defined())
      mean_kls.push_back((log_ratio.exp() - 1 - log_ratio).mean());
    advantages.push_back(own_tokens(tokens.advantages)[0]);
  }
  PolicyLoss result{tokens.logprobs.sum() * 0, {}};
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

PolicyLoss gspo_loss(const torch::Tensor& d_BS, const PolicyTokens& tokens, const RlConfig& config,
                     const PolicyDivisor& divisor) {
  const Clip clip = clip_of(config);
  const torch::Tensor length_B = tokens.counts.sum(-1).clamp_min(1), some_B = tokens.counts.any(-1);
  const torch::Tensor A_B = advantages_of_rows(tokens);
  const torch::Tensor ratio_B = (d_BS.sum(-1) / length_B).exp();
  const torch::Tensor clipped_B = ratio_B.clamp(clip.low, clip.high);
  PolicyLoss result{torch::min(ratio_B * A_B, clipped_B * A_B).neg().sum() / divisor.completions, {}};
  result.sums.terms = total(some_B);
  const torch::Tensor none_B = some_B.logical_not();
  count_ratios(result.sums, ratio_B.masked_fill(none_B, 0), clipped_B.masked_fill(none_B, 0));
  if (!tokens.reference.defined())
    return result;
  const torch::Tensor kl_B = divergence_terms(tokens).sum(-1) / length_B;
  result.sums.kl = total(kl_B);
  result.loss = result.loss + config.kl_coef * (kl_B.sum() / divisor.completions);
  return result;
}

PolicyLoss dpo_loss(const torch::Tensor& d_BS, const PolicyTokens& tokens, const RlConfig& config,
                    const PolicyDivisor& divisor) {
  require(divisor.pairs > 0 && tokens.reference.defined(), "dpo without a pair or a reference");
  const torch::Tensor sign_B = advantages_of_rows(tokens).sign();
  const torch::Tensor score_B = sums_of_rows(tokens.logprobs - tokens.reference, tokens) * sign_B;
  const torch::Tensor margin_P = config.dpo_beta * score_B.view({-1, 2}).sum(-1);
  const torch::Tensor tied_P = sign_B.view({-1, 2}).eq(0).any(-1);
  PolicyLoss result{at::log_sigmoid(margin_P).neg().masked_fill(tied_P, 0).sum() / divisor.pairs, {}};
  result.sums.terms = total(tokens.counts);
  const torch::Tensor ratio_BS = d_BS.detach().exp().masked_fill(tokens.counts.logical_not(), 0);
  count_ratios(result.sums, ratio_BS, ratio_BS);
  result.sums.pairs = total(tied_P.logical_not());
  result.sums.margin = total(margin_P.masked_fill(tied_P, 0));
  result.sums.preferred = total(margin_P.gt(0).logical_and(tied_P.logical_not()));
  result.sums.kl = total(divergence_terms(tokens));
  return result;
}

}  // namespace parity::reference
