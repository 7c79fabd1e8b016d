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

/// The cost of a push on this rank.
struct PushResult {
  double seconds = 0;  ///< wall time
  int64_t bytes = 0;   ///< given to collectives, as Traffic counts them
};

/// Copies the trained weights to the generator on the same ranks, whose layout may differ. A push stages a
/// version next to the served one; a pull makes it the served one.
///
/// Functions are collective over the world unless a comment says otherwise: every rank calls them in the same
/// order.
class WeightSync {
 public:
  static constexpr int64_t usual_bucket_bytes = 32 << 20;

  /// \param trained  what this rank trains: Trainer::parameters(), with a pipeline those of its stages;
  ///                 Trainer::router_biases() as buffers. Float32 or wider; read at each push
  /// \param served   this rank's shards of the generator, in the generator's dtype; written at each pull
  /// \param transfer_dtype  dtype in which parameters move: the generator's. Buffers keep their own dtype
  /// \param bucket_bytes    bytes that a rank sends, and receives, at once with PushMethod::direct. It
  ///                        needs at most four times this memory in addition to the staged weights
  /// \throws UserError with the same text on every rank: the generator has other shapes (names both) or a
  /// dtype differs. Also if no rank trains an element that is served, or the ranks' arguments differ;
  /// PeerLost
  WeightSync(const ModelTensors& trained, const ModelTensors& served, GroupPointer world, PushMethod method,
             torch::ScalarType transfer_dtype, int64_t bucket_bytes = usual_bucket_bytes);

  /// Casts to the transfer dtype, moves, and stages a version. It replaces a version that was staged before;
  /// the served version stays. If any rank fails, no rank stages anything.
  /// \param version  0 or more, the same on every rank
  /// \throws UserError with the same text on every remaining rank; PeerLost if a rank is gone or hangs. After
  /// PeerLost the ranks can serve what they have, but cannot push again
  PushResult push(int64_t version);

  /// Makes the staged version the served one. Once all ranks agree, it copies into the served tensors, whose
  /// memory stays the same; the copy cannot fail.
  /// \throws UserError with the same text on every rank, before any change: the version is not staged (names
  /// the staged one), or the ranks' versions differ; PeerLost
  void pull(int64_t version);

  /// Returns the served version; -1 = none yet. Not collective.
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
