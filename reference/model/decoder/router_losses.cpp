// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/model/decoder/router_losses.hpp"

#include <torch/csrc/autograd/custom_function.h>

namespace parity::reference {
namespace {

/// Passes x through. Backward gives each loss the gradient `factor`.
struct WithLoss : torch::autograd::Function<WithLoss> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x,
                               const torch::Tensor& loss, double factor) {
    context->saved_data["factor"] = factor;
    context->saved_data["like"] = at::zeros_like(loss);
    return x.view_as(x);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const torch::Tensor like = context->saved_data["like"].toTensor();
    return {gradients.front(), at::full_like(like, context->saved_data["factor"].toDouble()), {}};
  }
};

/// Returns the scores of each token divided by their sum. Those of a softmax add up to 1 already.
torch::Tensor probabilities(const torch::Tensor& scores_TE, RouterScore score) {
  return score == RouterScore::softmax ? scores_TE : scores_TE / scores_TE.sum(-1, /*keepdim=*/true);
}

/// Returns how many tokens of each set chose each expert, [G, E] in the dtype of `like`.
torch::Tensor counts_of_sets(const torch::Tensor& experts_TK, int64_t sets, const torch::Tensor& like_TE) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor chosen_GN = experts_TK.reshape({sets, -1});
  return at::zeros({sets, like_TE.size(1)}, like_TE.options())
      .scatter_add(1, chosen_GN, at::ones_like(chosen_GN, like_TE.options()));
}

torch::Tensor counts_for(const torch::Tensor& experts_TK, int64_t sets, const torch::Tensor& update_E,
                         const torch::Tensor& like_TE, const RouterLossShare& share) {
  if (update_E.defined())
    return update_E.to(like_TE.scalar_type()).unsqueeze(0);
  const torch::Tensor counts_GE = counts_of_sets(experts_TK, sets, like_TE);
  if (share.sum_over_parts)
    share.sum_over_parts(counts_GE);
  return counts_GE;
}

}  // namespace

torch::Tensor balance_loss(const torch::Tensor& probabilities_GTE, const torch::Tensor& counts_GE,
                           int64_t parts) {
  const auto experts = static_cast<double>(counts_GE.size(1));
  const torch::Tensor load_GE = counts_GE * experts / counts_GE.sum(-1, /*keepdim=*/true);
  const auto tokens = static_cast<double>(probabilities_GTE.size(1) * parts);
  return (load_GE * (probabilities_GTE.sum(1) / tokens)).sum(-1).mean();
}

RouterLosses router_losses(const torch::Tensor& logits_TE, const Routing& routing, int64_t sequences,
                           const torch::Tensor& update_E, const MoeDimensions& dimensions,
                           const RouterLossShare& share) {
  RouterLosses losses;
  if (dimensions.balance_loss != BalanceLoss::none) {
    const int64_t sets = dimensions.balance_loss == BalanceLoss::sequence ? sequences : 1;
    const torch::Tensor p_TE = probabilities(routing.all_scores_TE, dimensions.score);
    const torch::Tensor counts_GE = counts_for(routing.experts_TK, sets, update_E, p_TE, share);
    losses.balance = balance_loss(p_TE.unflatten(0, torch::IntArrayRef{sets, -1}), counts_GE, share.parts) *
                     (dimensions.balance_loss_coeff * share.of_update);
  }
  if (dimensions.z_loss_coeff > 0) {
    const auto tokens = static_cast<double>(logits_TE.size(0) * share.parts);
    losses.z = logits_TE.logsumexp(-1).square().sum() / tokens * (dimensions.z_loss_coeff * share.of_update);
  }
  return losses;
}

torch::Tensor with_losses(const torch::Tensor& x, const RouterLosses& losses, double gradient_factor) {
  torch::Tensor result = x;
  for (const torch::Tensor& loss : {losses.balance, losses.z})
    if (loss.defined())
      result = WithLoss::apply(result, loss, gradient_factor);
  return result;
}

}  // namespace parity::reference
