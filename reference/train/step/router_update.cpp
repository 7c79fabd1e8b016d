// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/step/router_update.hpp"

#include <algorithm>

namespace parity::reference {
namespace {

/// Returns [blocks with experts, E + 1] int64: the tokens of each expert, and the digest.
torch::Tensor tallies(const std::vector<const Moe*>& mixtures) {
  std::vector<torch::Tensor> rows;
  for (const Moe* moe : mixtures)
    rows.push_back(at::cat({moe->tally.tokens_E, moe->tally.digest.unsqueeze(0)}));
  return at::stack(rows);
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
  const torch::Tensor sums = tallies(mixtures);
  for (const Group* ranks : {&tokens, &stages})
    if (ranks->size() > 1)
      ranks->all_reduce(sums);
  RouterResult result;
  for (size_t i = 0; i < mixtures.size(); ++i) {
    const Moe& moe = *mixtures[i];
    const torch::Tensor row = sums[static_cast<int64_t>(i)];
    const torch::Tensor tokens_E = row.narrow(0, 0, row.size(0) - 1);
    // Wraps, as the sum over tokens does.
    result.digest = static_cast<int64_t>(static_cast<uint64_t>(result.digest) +
                                         static_cast<uint64_t>(row[-1].item<int64_t>()));
    result.imbalance = std::max(
        result.imbalance, tokens_E.max().item<double>() / tokens_E.to(torch::kFloat64).mean().item<double>());
    if (moe.bias_E.defined())
      move_bias(moe, tokens_E);
    torch::Tensor(moe.tally.tokens_E).zero_();
    torch::Tensor(moe.tally.digest).zero_();
  }
  return result;
}

}  // namespace parity::reference
