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

/// What this rank has of each tensor of a list that all ranks share.
struct OwnTensor {
  torch::Tensor value;  ///< undefined = nothing
  TensorLayout layout = {};
};
using OwnTensors = std::vector<OwnTensor>;

/// A way for weights to go.
class PushRoute {
 public:
  /// Called with what is done and what there is to do, in steps; an exception of it ends the push.
  using Progress = std::function<void(int64_t done, int64_t all)>;

  virtual ~PushRoute() = default;
  /// Fills this rank's parts. Collective.
  /// \param staged  in the dtype that moves, contiguous, undefined where nothing is served
  /// \throws RankFailed, PeerLost
  virtual void fill(const std::vector<torch::Tensor>& staged, const Progress& progress) = 0;
};

/// PushMethod::direct: the pieces of a plan, in buckets, with an all-to-all each. Each rank checks what comes
/// to it once, here.
/// \param trained  read at each fill
/// \throws UserError if nobody trains what somebody serves
std::unique_ptr<PushRoute> make_direct_route(std::vector<SpreadTensor> tensors, OwnTensors trained,
                                             GroupPointer world, int64_t bucket_bytes);

/// PushMethod::gathered: every tensor whole on every rank, in the dtype of training, which then takes its
/// part. Needs the memory of the whole model.
/// \param served  their layouts
std::unique_ptr<PushRoute> make_gathered_route(std::vector<SpreadTensor> tensors, OwnTensors trained,
                                               OwnTensors served, GroupPointer world);

}  // namespace parity::reference
