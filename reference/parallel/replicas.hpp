// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "reference/comm/group.hpp"
#include "reference/config/run_config.hpp"
#include "reference/model/parameter.hpp"
#include "reference/parallel/data_parallel.hpp"

namespace parity::reference {

/// Whole copies of the parameters on several ranks: one all-reduce a parameter (all_reduce_gradients.hpp).
/// Shares no code with FSDP.
///
/// GradientSync::last  micro-batches add up on their rank, and finish reduces the sums
/// GradientSync::each  each micro-batch's gradients are reduced, and then added
class Replicas final : public DataParallel {
 public:
  Replicas(Parameters parameters, std::shared_ptr<const Group> replicas, GradientSync sync,
           GradientReduction reduction);

  void begin(bool last) override;
  void end() override;
  void finish() override;
  void zero_grad() override;
  bool keeps_local_gradients() const override { return sync_ == GradientSync::last; }

 private:
  void reduce() const;

  Parameters parameters_;
  std::shared_ptr<const Group> replicas_;
  GradientSync sync_;
  GradientReduction reduction_;
  std::vector<torch::Tensor> sums_;  ///< of the micro-batches before, reduced; undefined before the first
};

}  // namespace parity::reference
