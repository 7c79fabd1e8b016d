// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reference/comm/group.hpp"
#include "reference/config/run_config.hpp"
#include "reference/model/parameter.hpp"
#include "reference/parallel/core/layout.hpp"

namespace parity::reference {

/// The ranks that share a unit, and how they reduce its gradients.
struct FsdpRanks {
  std::shared_ptr<const Group> shard;      ///< n ranks that each hold a shard
  std::shared_ptr<const Group> replicate;  ///< ranks that hold the same shard
  GradientReduction reduction = GradientReduction::sum;
  /// The mesh dimensions of `shard`; empty = dp_shard.
  std::vector<MeshPlace> shard_places = {};
  /// Dtype of forward and backward; unset = the dtype of the parameters.
  std::optional<torch::ScalarType> compute = {};
  /// Divisor of GradientReduction::average besides the replicas; 0 = the ranks of `shard`. Experts receive
  /// the tokens of more ranks than those.
  int64_t divisor = 0;
};

/// Parameters that are gathered and reduced together, in one flat buffer.
///
/// Of each parameter rank r of n holds rows [r c, (r + 1) c), c = ceil(rows / n); the last ones hold fewer or
/// none. A rank's buffer has its rows of all parameters in order, each padded with zeros to c rows: S
/// elements. The gathered buffer is [n, S].
///
///   unshard   one all-gather of S elements; the parameters that forward uses are whole
///   reshard   frees their memory
///   reduce    one reduce-scatter of n S elements, then one all-reduce of S over the replicas;
///             added to the gradients of the shards
///
/// With n = 1 nothing is gathered, and the shards are the parameters themselves: replicate as HSDP over
/// (N, 1).
///
/// A mixed-precision policy casts the shards to the compute dtype before they are gathered, also with n = 1.
/// The shards keep their dtype. Gradients arrive in the compute dtype. They are widened before they are added
/// over micro-batches or ranks, and are reduced in the dtype of the shards. Source: NUMERICS.md 3.5 and 6;
/// the buffer's layout and the policy are those of torch's fully_shard.
class FsdpUnit {
 public:
  /// \param whole  tensors that forward uses. From now on this unit frees and gathers them. Each owns its
  ///               memory. Under a policy forward uses weights() instead
  FsdpUnit(std::string name, const Parameters& whole, FsdpRanks ranks);

  const std::string& name() const { return name_; }
  /// Returns the shards that this rank trains.
  const Parameters& shards() const { return shards_; }
  /// Returns the tensors that forward uses, in the order of shards().
  std::vector<torch::Tensor> weights() const;

  void unshard();
  void reshard();
  /// Call it before the unit's forward pass of a micro-batch.
  void begin() { passed_ = false; }
  /// Reshards. Call it once after the unit's backward pass.
  /// \param now  whether to reduce the gradients, or to let them add up unreduced
  void after_backward(bool now);
  bool passed() const { return passed_; }
  /// Reduces the gradients of all backward passes since the last reduction; zeros without any.
  void reduce();
  void zero_grad();

  /// "layers.0: 3 x 40 elements: wq.weight 0, ...", with where each parameter begins in S.
  std::string buffer_text() const;

 private:
  struct Piece {
    torch::Tensor whole;  ///< leaf; [rows, ...]
    torch::Tensor sum;    ///< of gradients that wait, in the shards' dtype, under a policy
    int64_t row = 1;      ///< elements
    int64_t chunk = 1;    ///< c
    int64_t first = 0;    ///< in S
    size_t bytes = 0;     ///< of the whole
  };
  void add(const Parameter& parameter);
  /// Rows that rank r holds, as a view of a tensor of a piece's shape; may be empty.
  static torch::Tensor rows_of(const Piece& piece, const torch::Tensor& whole, const Group& shard, int64_t r);

  std::string name_;
  FsdpRanks ranks_;
  std::vector<Piece> pieces_;
  Parameters shards_;
  int64_t elements_ = 0;  ///< S
  bool is_gathered() const { return ranks_.shard->size() > 1 || ranks_.compute; }
  /// Widens the gradients of a backward pass, under a policy.
  void widen_gradients();

  torch::Tensor own_;  ///< [S]; undefined where nothing is gathered
  bool whole_ = true;
  bool passed_ = false;
};

}  // namespace parity::reference
