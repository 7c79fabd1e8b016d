// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "reference/rl/serving/policy_server.hpp"
#include "reference/rl/weight_sync/weight_sync.hpp"

namespace parity::reference {

class Trainer;

/// Pushes the version of the policy that is due (due_version), from the ranks that train.
///
/// The asynchronous loop computes what a generator writes that runs rl.staleness updates ahead of the
/// trainer. On the trainer's own ranks nothing overlaps in time. On ranks of its own (rl.generator.ranks) the
/// generator writes the next update's rollouts during an update, if they come from an older version. Either
/// way a run repeats bit for bit. Versions that are still to be served are kept in the trainer's layout, and
/// in checkpoints.
class ServedPolicy {
 public:
  /// \param server  of this rank; null if it only trains
  /// \param all     the ranks that train or generate
  ServedPolicy(Trainer& trainer, PolicyServer* server, GroupPointer all);

  /// Pushes the version that is due at the start of a run, which may resume.
  void begin();
  /// Pushes the version that is due after the coming update, if it exists already and other ranks can
  /// generate with it meanwhile.
  void before_update();
  /// Pushes the version that is due after an update, if it was not pushed before the update.
  /// \return wall time of the update's push [seconds]; nothing without a push
  std::optional<double> after_update();

 private:
  int64_t due() const;
  double push(int64_t version);
  /// Pushes values other than the trainer's, which are the trainer's own again afterwards.
  double push(int64_t version, std::vector<torch::Tensor>& values);

  Trainer& trainer_;
  PolicyServer* server_;
  WeightSync sync_;
  std::optional<double> pushed_before_;  ///< wall time of before_update's push
  /// Synchronous: the values of the last push, if pushes are seldom. Asynchronous: element j has the values
  /// of version max(0, v - j).
  std::vector<std::vector<torch::Tensor>> kept_;
};

}  // namespace parity::reference
