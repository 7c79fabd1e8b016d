// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "reference/config/choices.hpp"
#include "reference/parallel/core/collectives.hpp"
#include "reference/rl/weight_sync/push_route.hpp"
#include "reference/rl/weight_sync/spread_tensors.hpp"

namespace parity::reference {

/// What a push cost this rank.
struct PushResult {
  double seconds = 0;  ///< wall time
  int64_t bytes = 0;   ///< given to collectives, as Traffic counts them
};

/// Brings the weights that some ranks train to the generator that the same ranks serve, which may be cut in
/// another way. A push stages a version beside what is served; a pull makes it the served one.
///
/// Collective over the world, each function: every rank calls them in the same order.
class WeightSync {
 public:
  static constexpr int64_t usual_bucket_bytes = 32 << 20;

  /// \param trained  what this rank trains: Trainer::parameters(), under a pipeline its stages' only;
  ///                 Trainer::router_biases() as buffers. Float32 or wider; read at each push
  /// \param served   what this rank's generator computes with, its own part, in the generator's dtype;
  ///                 written at each pull
  /// \param transfer_dtype  in which parameters move: the generator's. Buffers keep their own on both sides
  /// \param bucket_bytes    that a rank gives, and gets, at once on the direct way: the memory it needs
  ///                        besides the staged weights is four times as much at most
  /// \throws UserError with the same words on every rank: if the generator is of another shape (which names,
  /// with both shapes), a dtype differs, nobody trains a part of what is served, or the ranks' arguments
  /// differ; PeerLost
  WeightSync(const ModelTensors& trained, const ModelTensors& served, GroupPointer world, PushMethod method,
             torch::ScalarType transfer_dtype, int64_t bucket_bytes = usual_bucket_bytes);

  /// Casts to the transfer dtype, moves, and stages a version, in place of one that was staged before. What
  /// is served stays. All ranks agree whether it is whole: if any fails on the way nothing is staged, on any.
  /// \param version  0 or more, the same on every rank
  /// \throws UserError with the same words on every rank that is left; PeerLost if one is gone or hangs,
  /// and then the ranks can serve what they have, but not push again
  PushResult push(int64_t version);

  /// Makes the staged version the served one: copies into the served tensors, whose memory stays the same,
  /// after all ranks have agreed, and without anything that could fail.
  /// \throws UserError with the same words on every rank, and nothing has changed: if it is not staged
  /// (says which version is), or the ranks' versions differ; PeerLost
  void pull(int64_t version);

  /// That is served; -1 = none yet. Not collective.
  int64_t version() const { return served_version_; }

  /// \param progress  as PushRoute says
  void watch(PushRoute::Progress progress) { progress_ = std::move(progress); }

 private:
  void stage();
  void require_version(int64_t asked) const;

  GroupPointer world_;
  OwnTensors served_;
  std::unique_ptr<PushRoute> route_;
  std::vector<torch::Tensor> staged_;
  int64_t served_version_ = -1, staged_version_ = -1;
  PushRoute::Progress progress_;
};

}  // namespace parity::reference
