// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/optim/optimizer.hpp"

namespace parity::reference {

/// Computes Lion, whose every step has the size lr in each element.
///
///   p *= 1 - lr wd
///   p -= lr sign(b1 m + (1 - b1) g);  m = b2 m + (1 - b2) g
///
/// wd is 0 for parameters that optimizer.decay leaves out. Source: arXiv:2302.06675, program 1.
class Lion : public Optimizer {
 public:
  Lion(const OptimizerConfig& config, Parameters parameters);

  void step(const UpdateNumbers& numbers) override;
  std::vector<State> state() const override;

 private:
  OptimizerConfig config_;
  Parameters parameters_;
  std::vector<torch::Tensor> exp_avgs_;  ///< m
};

}  // namespace parity::reference
