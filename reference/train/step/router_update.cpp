// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/step/router_update.hpp"

#include <algorithm>

namespace parity::reference {
namespace {

/// Returns int64, a row for each block with experts: the tokens of each expert, the digest, and the dropped
/// slots if experts have a capacity.
torch::Tensor tallies(const std::vector<const Moe*>& mixtures) {
  std::vector<torch::Tensor> rows;
  for (const Moe* moe : mixtures) {
    std::vector<torch::Tensor> row = {moe->tally.tokens_E, moe->tally.digest.unsqueeze(0)};
    if (moe->dimensions.capacity_factor > 0)
      row.push_back(moe->tally.dropped.unsqueeze(0));
    rows.push_back(at::cat(row));
  }
  return at::stack(rows);
}

/// Returns [2] float64: balance loss and z-loss, over all blocks. Begins new sums.
torch::Tensor take_losses(const std::vector<const Moe*>& mixtures) {
  std::vector<torch::Tensor> rows;
  for (const Moe* moe : mixtures)
    rows.push_back(moe->tally.losses);
  const torch::Tensor sums = at::stack(rows).sum(0);
  for (const torch::Tensor& row : rows)
    torch::Tensor(row).zero_();
  return sums;
}

void begin_tally(const RouterTally& tally) {
  for (const torch::Tensor& count : {tally.tokens_E, tally.digest, tally.dropped})
    torch::Tensor(count).zero_();
}

void move_bias(const Moe& moe, const torch::Tensor& tokens_E) {
  const torch::Tensor n_E = tokens_E.to(moe.bias_E.scalar_type());
  const torch::Tensor delta_E = at::sign(n_E.mean() - n_E) * moe.dimensions.load_balance;
  torch::Tensor(moe.bias_E).add_(delta_E - delta_E.mean());
}

}  // namespace

RouterResult end_update_at_routers(const Decoder& model, const Group& tokens, const Group& stages) {
  const torch::NoGradGuard no_grad;
  const std::vector<const Moe*> mixtures = model.mixtures();
  const MoeDimensions& dimensions = model.dimensions().moe;
  const torch::Tensor sums = tallies(mixtures);
  const torch::Tensor losses = dimensions.has_losses() ? take_losses(mixtures) : torch::Tensor();
  for (const Group* ranks : {&tokens, &stages})
    if (ranks->size() > 1) {
      ranks->all_reduce(sums);
      if (losses.defined())
        ranks->all_reduce(losses);
    }
  RouterResult result;
  if (dimensions.balance_loss != BalanceLoss::none)
    result.balance_loss = losses[0].item<double>();
  if (dimensions.z_loss_coeff > 0)
    result.z_loss = losses[1].item<double>();
  if (dimensions.capacity_factor > 0)
    result.dropped = sums.select(1, dimensions.experts + 1).sum().item<int64_t>();
  for (size_t i = 0; i < mixtures.size(); ++i) {
    const Moe& moe = *mixtures[i];
    const torch::Tensor row = sums[static_cast<int64_t>(i)];
    const torch::Tensor tokens_E = row.narrow(0, 0, dimensions.experts);
    // Wraps, as the sum over tokens does.
    result.digest = static_cast<int64_t>(static_cast<uint64_t>(result.digest) +
                                         static_cast<uint64_t>(row[dimensions.experts].item<int64_t>()));
    result.imbalance = std::max(
        result.imbalance, tokens_E.max().item<double>() / tokens_E.to(torch::kFloat64).mean().item<double>());
    if (moe.bias_E.defined())
      move_bias(moe, tokens_E);
    begin_tally(moe.tally);
  }
  return result;
}

}  // namespace parity::reference
