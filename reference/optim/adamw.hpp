// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/optim/decay_groups.hpp"
#include "reference/optim/optimizer.hpp"

namespace parity::reference {

/// Computes AdamW, or Adam with the decay in the gradient (L2), with the bits of torch.optim.AdamW and
/// torch.optim.Adam: of their fused kernel, of their loop over tensors, or of their foreach form.
///
///   AdamW: p *= 1 - lr wd       Adam: g += wd p
///   m += (1 - b1)(g - m);  v = b2 v + (1 - b2) g^2
///   p -= lr / (1 - b1^t)  m / (sqrt(v) / sqrt(1 - b2^t) + eps)
///
/// wd is 0 for parameters that optimizer.decay leaves out. Source: NUMERICS.md 5; documentation of
/// torch.optim.Adam.
class AdamW : public Optimizer {
 public:
  AdamW(const OptimizerConfig& config, Parameters parameters);

  void step(const UpdateNumbers& numbers) override;
  std::vector<State> state() const override;

 private:
  void step_fused(const OptimizerConfig& config, const DecayGroup& group, double lr);
  void step_foreach(const OptimizerConfig& config, const DecayGroup& group, double lr);
  void step_plain(const OptimizerConfig& config, const DecayGroup& group, double lr);

  OptimizerConfig config_;
  Parameters parameters_;
  std::vector<DecayGroup> groups_;
  std::vector<torch::Tensor> exp_avgs_;     ///< m
  std::vector<torch::Tensor> exp_avg_sqs_;  ///< v
  std::vector<torch::Tensor> steps_;        ///< t, scalars
};

}  // namespace parity::reference
