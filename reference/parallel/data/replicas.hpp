// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "reference/comm/group.hpp"
#include "reference/config/run_config.hpp"
#include "reference/model/parameter.hpp"
#include "reference/parallel/data/all_reduce_gradients.hpp"
#include "reference/parallel/data/data_parallel.hpp"

namespace parity::reference {

/// Keeps whole copies of the parameters on several ranks, with one all-reduce for each parameter or unit
/// (all_reduce_gradients.hpp). It shares no code with FSDP.
///
/// GradientSync::last  the gradients of micro-batches add up on their rank, and finish() reduces the sums
/// GradientSync::each  the gradients of each micro-batch are reduced, then added
class Replicas final : public DataParallel {
 public:
  /// \param flat  whether the gradients of a unit are reduced as one buffer
  Replicas(Parameters parameters, std::shared_ptr<const Group> replicas, GradientSync sync,
           GradientReduction reduction, bool flat);

  void begin(bool last) override;
  void end() override;
  void finish() override;
  void zero_grad() override;
  bool keeps_local_gradients() const override { return sync_ == GradientSync::last; }
  /// Returns the flat buffers, one line each; empty if each parameter has its own.
  std::vector<std::string> buffers() const;

 private:
  void reduce() const;

  Parameters parameters_;
  bool flat_;
  std::vector<GradientBuffer> buffers_;
  std::shared_ptr<const Group> replicas_;
  GradientSync sync_;
  GradientReduction reduction_;
  std::vector<torch::Tensor> sums_;  ///< of the earlier micro-batches, reduced; undefined before the first
};

}  // namespace parity::reference
