// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/model/decoder/capacity.hpp"

#include <algorithm>
#include <cmath>

namespace parity::reference {
namespace {

torch::Tensor by_expert(const torch::Tensor& experts_N) {
  return at::argsort(experts_N, /*stable=*/true, 0, /*descending=*/false);
}

/// Returns the slots in the order in which experts prefer them, of equal experts side by side.
torch::Tensor preferred(const Routing& routing, const torch::Tensor& experts_N, DropRule rule) {
  if (rule == DropRule::position)
    return by_expert(experts_N);
  const torch::Tensor scores_N = routing.scores_TK.detach().flatten();
  const torch::Tensor best = at::argsort(scores_N, /*stable=*/true, 0, /*descending=*/true);
  return best.index({by_expert(experts_N.index({best}))});
}

}  // namespace

int64_t capacity_of(int64_t tokens, const MoeDimensions& dimensions) {
  const double mean =
      static_cast<double>(tokens * dimensions.top_k) / static_cast<double>(dimensions.experts);
  const double most = std::ceil(dimensions.capacity_factor * mean);
  return static_cast<int64_t>(std::min(most, static_cast<double>(tokens)));
}

Slots slots_of(const Routing& routing, const torch::Tensor& tokens_E, const MoeDimensions& dimensions) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor experts_N = routing.experts_TK.flatten();
  if (dimensions.capacity_factor == 0)
    return {by_expert(experts_N), tokens_E, 0};
  const int64_t capacity = capacity_of(routing.experts_TK.size(0), dimensions);
  const torch::Tensor wanted = preferred(routing, experts_N, dimensions.drop);
  const torch::Tensor begins_E = tokens_E.cumsum(0) - tokens_E;
  const torch::Tensor rank_N =
      at::arange(experts_N.size(0), experts_N.options()) - begins_E.index({experts_N.index({wanted})});
  torch::Tensor kept_N = at::zeros_like(experts_N, torch::kBool);
  kept_N.index_put_({wanted}, rank_N.lt(capacity));
  const torch::Tensor order_N = by_expert(experts_N);
  const torch::Tensor taken_N = order_N.index({kept_N.index({order_N})});
  return {taken_N, tokens_E.clamp_max(capacity), experts_N.size(0) - taken_N.size(0)};
}

}  // namespace parity::reference
