// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/model/decoder/router.hpp"

#include <limits>
#include <tuple>

namespace parity::reference {
namespace {

constexpr double least_sum = 1e-20;

torch::Tensor largest(const torch::Tensor& x, int64_t count) {
  return std::get<1>(at::topk(x, count, -1, /*largest=*/true, /*sorted=*/false));
}

/// Returns the scores, with minus infinity for experts of groups that a token does not use.
torch::Tensor within_groups(const torch::Tensor& choice_TE, const MoeDimensions& dimensions) {
  const torch::Tensor grouped = choice_TE.unflatten(-1, torch::IntArrayRef{dimensions.groups, -1});
  const torch::Tensor best_two = std::get<0>(at::topk(grouped, 2, -1)).sum(-1);
  torch::Tensor left_out = torch::ones_like(best_two, torch::kBool);
  left_out.scatter_(-1, largest(best_two, dimensions.limited_groups), false);
  return grouped.masked_fill(left_out.unsqueeze(-1), -std::numeric_limits<double>::infinity()).flatten(-2);
}

torch::Tensor choose(const torch::Tensor& scores_TE, const torch::Tensor& bias_E,
                     const MoeDimensions& dimensions) {
  const torch::NoGradGuard no_grad;
  const int64_t slots = scores_TE.size(0) * dimensions.top_k;
  if (dimensions.force_balance)
    return at::arange(slots, scores_TE.options().dtype(torch::kInt64))
        .remainder_(dimensions.experts)
        .view({-1, dimensions.top_k});
  torch::Tensor choice_TE = bias_E.defined() ? scores_TE + bias_E : scores_TE;
  if (dimensions.groups > 0)
    choice_TE = within_groups(choice_TE, dimensions);
  return largest(choice_TE, dimensions.top_k);
}

}  // namespace

Routing route(const torch::Tensor& logits_TE, const torch::Tensor& bias_E, const MoeDimensions& dimensions,
              const torch::Tensor& given_TK) {
  const torch::Tensor scores_TE =
      dimensions.score == RouterScore::sigmoid ? at::sigmoid(logits_TE) : at::softmax(logits_TE, -1);
  const torch::Tensor experts_TK = given_TK.defined() ? given_TK : choose(scores_TE, bias_E, dimensions);
  torch::Tensor scores_TK = scores_TE.gather(-1, experts_TK);
  if (dimensions.route_norm)
    scores_TK = scores_TK / (scores_TK.sum(-1, /*keepdim=*/true) + least_sum);
  return {experts_TK, scores_TK * dimensions.route_scale, scores_TE};
}

}  // namespace parity::reference
