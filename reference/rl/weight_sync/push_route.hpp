// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <torch/types.h>

#include "harness/tensor/placement.hpp"
#include "reference/parallel/core/collectives.hpp"
#include "reference/rl/weight_sync/transfer_plan.hpp"

namespace parity::reference {

/// This rank's shard of one tensor of a list that all ranks share.
struct OwnTensor {
  torch::Tensor value;  ///< undefined = nothing
  TensorLayout layout = {};
};
using OwnTensors = std::vector<OwnTensor>;

/// A method of moving weights between ranks.
class PushRoute {
 public:
  /// Called after each step with the steps done and all steps. An exception from it ends the push.
  using Progress = std::function<void(int64_t done, int64_t all)>;

  virtual ~PushRoute() = default;
  /// Fills this rank's shards. Collective.
  /// \param staged  contiguous, in the transfer dtype; undefined for tensors that this rank does not serve
  /// \throws RankFailed, PeerLost
  virtual void fill(const std::vector<torch::Tensor>& staged, const Progress& progress) = 0;
};

/// Returns the route of PushMethod::direct. It moves the pieces of a plan in buckets, with one all-to-all for
/// each bucket. Each rank checks its incoming pieces once, here.
/// \param trained  read at each fill
/// \throws UserError if a rank serves an element that no rank trains
std::unique_ptr<PushRoute> make_direct_route(std::vector<SpreadTensor> tensors, OwnTensors trained,
                                             GroupPointer world, int64_t bucket_bytes);

/// Returns the route of PushMethod::gathered. It gathers every tensor whole on every rank, in the dtype of
/// training; each rank then takes its shard. It needs the memory of the whole model.
/// \param served  layouts of the served tensors
std::unique_ptr<PushRoute> make_gathered_route(std::vector<SpreadTensor> tensors, OwnTensors trained,
                                               OwnTensors served, GroupPointer world);

}  // namespace parity::reference
