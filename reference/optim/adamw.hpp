// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/optim/optimizer.hpp"

namespace parity::reference {

/// Computes AdamW by PyTorch's fused kernel or by ordinary operations. So it has the bits of
/// torch.optim.AdamW(fused=True) or of its loop over tensors.
///
///   p *= 1 - lr wd;  m += (1 - b1)(g - m);  v = b2 v + (1 - b2) g^2
///   p -= lr / (1 - b1^t)  m / (sqrt(v) / sqrt(1 - b2^t) + eps)
///
/// Weight decay applies to every parameter, including norms and embeddings. Source: NUMERICS.md 5.
class AdamW : public Optimizer {
 public:
  AdamW(const OptimizerConfig& config, Parameters parameters);

  void step(const UpdateNumbers& numbers) override;
  std::vector<State> state() const override;

 private:
  void step_fused(const OptimizerConfig& config, double lr);
  void step_plain(const OptimizerConfig& config, double lr);

  OptimizerConfig config_;
  Parameters parameters_;
  std::vector<torch::Tensor> exp_avgs_;     ///< m
  std::vector<torch::Tensor> exp_avg_sqs_;  ///< v
  std::vector<torch::Tensor> steps_;        ///< t, scalars
};

}  // namespace parity::reference
