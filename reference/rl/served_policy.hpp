// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "reference/rl/generator/generator.hpp"
#include "reference/rl/weight_sync/weight_sync.hpp"

namespace parity::reference {

class Trainer;

/// Decides which version of the policy the generator serves, and pushes it. With v updates done:
///
/// | synchronous  | the last multiple of rl.push_every up to v |
/// | asynchronous | max(0, v - rl.staleness)                   |
///
/// The asynchronous loop computes what a generator writes that runs rl.staleness updates ahead of the
/// trainer. Nothing overlaps in time, so that a run repeats bit for bit. Versions that are still to be served
/// are kept in the trainer's layout, and in checkpoints.
class ServedPolicy {
 public:
  /// \throws UserError if rl.push_omits names no weight
  ServedPolicy(Trainer& trainer, Generator& generator);

  /// Pushes the version that is due at the start of a run, which may resume.
  void begin();
  /// Pushes the version that is due after an update. \return wall time [seconds]; nothing without a push
  std::optional<double> after_update();

 private:
  int64_t due() const;
  double push(int64_t version);
  /// Pushes values other than the trainer's, which are the trainer's own again afterwards.
  double push(int64_t version, std::vector<torch::Tensor>& values);

  Trainer& trainer_;
  Generator& generator_;
  WeightSync sync_;
  std::vector<torch::Tensor> omitted_;  ///< served weights that only the first push brings
  /// Synchronous: the values of the last push, if pushes are seldom. Asynchronous: element j has the values
  /// of version max(0, v - j).
  std::vector<std::vector<torch::Tensor>> kept_;
};

/// Returns the dtype of the generator's weights.
torch::ScalarType generator_dtype(const RunConfig& config);

}  // namespace parity::reference
