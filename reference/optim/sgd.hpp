// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/optim/decay_groups.hpp"
#include "reference/optim/optimizer.hpp"

namespace parity::reference {

/// Computes stochastic gradient descent with the bits of torch.optim.SGD: fused, foreach or neither.
///
///   g += wd p;  b = g in the first update, momentum b + g after it;  p -= lr b
///
/// Without momentum b is g, and the optimizer has no state. Source: documentation of torch.optim.SGD.
class Sgd : public Optimizer {
 public:
  Sgd(const OptimizerConfig& config, Parameters parameters);

  void step(const UpdateNumbers& numbers) override;
  std::vector<State> state() const override;

 private:
  void step_fused(const DecayGroup& group, double lr, double weight_decay);
  void step_foreach(const DecayGroup& group, double lr, double weight_decay);
  void step_plain(const DecayGroup& group, double lr, double weight_decay);
  bool is_first() const { return updates_.item<int64_t>() == 0; }

  OptimizerConfig config_;
  Parameters parameters_;
  std::vector<DecayGroup> groups_;
  std::vector<torch::Tensor> buffers_;  ///< empty without momentum
  torch::Tensor updates_;               ///< scalar int64: updates done; 0 before the first
};

}  // namespace parity::reference
