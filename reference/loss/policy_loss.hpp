// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/config/run_config.hpp"
#include "reference/loss/policy_terms.hpp"

namespace parity::reference {

/// Computes a policy's loss over the tokens of one call that count. r = exp(d), d = logprobs - generator,
/// A = advantages, G = divisor.tokens.
///
/// | loss                | loss of a token                                             | source             |
/// |---------------------|-------------------------------------------------------------|--------------------|
/// | grpo, dapo          | -min(r A, clip(r) A), d clamped at 10                       | torchtitan 2026-08 |
/// | ppo                 | max(-r A, -clip(r) A), A < 0: at most -c A; d clamped at 20 | verl               |
/// | importance_sampling | -r A                                                        | Tinker             |
/// | cispo               | -sg(clip(r)) A logprobs, d clamped at 20                    | arXiv 2506.13585   |
/// | sft                 | -logprobs                                                   |                    |
///
/// The losses of the tokens are summed and divided by G. With another normalization they are divided by:
///
/// | sequence_mean | the tokens of their completion, times the completions (GRPO, arXiv 2402.03300)     |
/// | prompt_mean   | the tokens of their prompt's completions, times the prompts (DAPO, eq. 8, each one) |
/// | constant      | the completions times max_new_tokens (Dr. GRPO, arXiv 2503.20783)                  |
///
/// DAPO: arXiv 2503.14476.
///
/// With a correction, d = logprobs - sg(logprobs), so that r is 1, and each term is multiplied by its weight
/// (importance_correction.hpp). clip(r) limits r to [1 - clip_low, 1 + clip_high],
/// and c is dual_clip. A reference policy adds kl_coef times the sum of k3 = exp(e) - e - 1 over G, where
/// e = reference - logprobs (verl).
///
/// grpo_sequence is torchtitan's loss until #2985. r_i = exp(mean over a completion's tokens of logprobs -
/// reference); without a reference, of logprobs alone. The loss is the mean over completions of
/// -min(r_i A_i, clip(r_i) A_i), plus kl_coef times the mean over completions of exp(-e) - 1 + e. Without a
/// reference r_i is usually below 0.8, so completions with A < 0 have no gradient.
///
/// gspo (arXiv 2507.18071): s_i = exp(sum of d over a completion / its tokens); the mean over completions of
/// -min(s_i A_i, clip(s_i) A_i), plus kl_coef times the mean over completions of the mean of k3.
///
/// dpo (arXiv 2305.18290): rows 2 p and 2 p + 1 are completions of one prompt, with advantages 1 (preferred)
/// and -1, or 0 for both. h = sum of logprobs - reference over a completion. The loss is the mean over the
/// divisor's pairs of -log sigmoid(dpo_beta (h_preferred - h_other)).
///
/// PolicyNormalization::global gives the loss above, and times_dp multiplies it by divisor.ranks. rank_mean
/// is grpo_sequence over the completions of this call alone.
///
/// \param config  loss, normalization, clip_*, dual_clip, kl_coef, dpo_beta, correction*, max_new_tokens are
/// read
/// \throws InternalError if G is 0
/// Source: NUMERICS.md 8.2.
PolicyLoss policy_loss(const PolicyTokens& tokens, const RlConfig& config, const PolicyDivisor& divisor);

}  // namespace parity::reference
