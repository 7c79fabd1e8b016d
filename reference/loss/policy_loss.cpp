// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/loss/policy_loss.hpp"

#include "harness/base/error.hpp"
#include "reference/loss/importance_correction.hpp"
#include "reference/loss/sequence_loss.hpp"

namespace parity::reference {
namespace {

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

TokenTerms weighed_logprobs(const torch::Tensor& d_BS, const PolicyTokens& tokens, const Clip& clip) {
  constexpr double largest = 20;
  const torch::Tensor ratio = d_BS.detach().clamp(-largest, largest).exp();
  const torch::Tensor clipped = ratio.clamp(clip.low, clip.high);
  return {(clipped * tokens.advantages * tokens.logprobs).neg(), ratio, clipped};
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
    case PolicyLossName::cispo:
      return weighed_logprobs(d_BS, tokens, clip_of(config));
    case PolicyLossName::grpo_sequence:
    case PolicyLossName::gspo:
    case PolicyLossName::dpo:
      break;
  }
  throw InternalError("no loss of tokens");
}

/// Measures how the policy differs from its generator, for reports only.
void add_differences(PolicySums& sums, const torch::Tensor& d_BS, const PolicyTokens& tokens) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor distance = d_BS.abs();
  const torch::Tensor equal = tokens.logprobs.to(torch::kFloat32).eq(tokens.generator.to(torch::kFloat32));
  sums.tokens = total(tokens.counts);
  sums.diff = total(d_BS);
  sums.different = total(distance.gt(shown_difference));
  sums.equal = total(equal.logical_and(tokens.counts));
  sums.entropy = total(tokens.entropy.masked_fill(tokens.counts.logical_not(), 0));
  sums.max_diff = d_BS.numel() > 0 ? distance.max().item<double>() : 0;
}

/// Adds the terms of tokens, 0 where a token does not count, and divides them.
torch::Tensor normalized(const torch::Tensor& x_BS, const PolicyTokens& tokens, const RlConfig& config,
                         const PolicyDivisor& divisor) {
  if (config.normalization == PolicyNormalization::constant)
    return x_BS.sum() / (divisor.completions * config.max_new_tokens);
  const bool by_prompt = config.normalization == PolicyNormalization::prompt_mean;
  if (!by_prompt && config.normalization != PolicyNormalization::sequence_mean)
    return x_BS.sum() / divisor.tokens;
  require(tokens.lengths.defined(), "a mean over completions of unknown lengths");
  if (shares_by_token(config))
    return (x_BS / tokens.lengths.clamp_min(1)).sum() / (by_prompt ? divisor.prompts : divisor.completions);
  const torch::Tensor length_B = tokens.lengths.select(-1, 0).clamp_min(1);
  return (x_BS.sum(-1) / length_B).sum() / divisor.completions;
}

/// Weighs the terms of tokens by the mismatch of trainer and generator.
torch::Tensor corrected(const torch::Tensor& loss_BS, const torch::Tensor& d_BS, const PolicyTokens& tokens,
                        const RlConfig& config, PolicySums& sums) {
  const CorrectionWeights w = correction_weights(d_BS, config);
  const torch::Tensor rest = tokens.counts.logical_not();
  sums.correction = total(w.weights_BS.masked_fill(rest, 0));
  sums.cut = total(w.cut_BS.logical_and(tokens.counts));
  return loss_BS * w.weights_BS;
}

/// \param d_BS  0 where a token does not count
PolicyLoss loss_of_tokens(const torch::Tensor& d_BS, const PolicyTokens& tokens, const RlConfig& config,
                          const PolicyDivisor& divisor) {
  require(divisor.tokens > 0, "a policy's loss over no token");
  const bool corrects = config.correction != ImportanceCorrection::none;
  const torch::Tensor rest = tokens.counts.logical_not();
  const TokenTerms terms = terms_of(corrects ? d_BS - d_BS.detach() : d_BS, tokens, config);
  PolicyLoss result;
  torch::Tensor loss_BS = terms.loss_BS.masked_fill(rest, 0);
  if (corrects)
    loss_BS = corrected(loss_BS, d_BS, tokens, config, result.sums);
  result.loss = normalized(loss_BS, tokens, config, divisor);
  result.sums.terms = total(tokens.counts);
  count_ratios(result.sums, terms.ratio_BS.masked_fill(rest, 0), terms.clipped_BS.masked_fill(rest, 0));
  if (!tokens.reference.defined())
    return result;
  const torch::Tensor k3_BS = divergence_terms(tokens);
  result.sums.kl = total(k3_BS);
  result.loss = result.loss + config.kl_coef * normalized(k3_BS, tokens, config, divisor);
  return result;
}

PolicyLoss loss_of(const torch::Tensor& d_BS, const PolicyTokens& tokens, const RlConfig& config,
                   const PolicyDivisor& divisor) {
  switch (config.loss) {
    case PolicyLossName::grpo_sequence:
      return grpo_sequence_loss(tokens, config, divisor);
    case PolicyLossName::gspo:
      return gspo_loss(d_BS, tokens, config, divisor);
    case PolicyLossName::dpo:
      return dpo_loss(d_BS, tokens, config, divisor);
    default:
      return loss_of_tokens(d_BS, tokens, config, divisor);
  }
}

}  // namespace

PolicyLoss policy_loss(const PolicyTokens& tokens, const RlConfig& config, const PolicyDivisor& divisor) {
  const torch::Tensor d_BS = (tokens.logprobs - tokens.generator).masked_fill(tokens.counts.logical_not(), 0);
  PolicyLoss result = loss_of(d_BS, tokens, config, divisor);
  add_differences(result.sums, d_BS, tokens);
  if (config.normalization == PolicyNormalization::times_dp)
    result.loss = result.loss * divisor.ranks;
  return result;
}

}  // namespace parity::reference
