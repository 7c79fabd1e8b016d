// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <torch/types.h>

#include "reference/config/run_config.hpp"
#include "reference/rl/generator/generator.hpp"
#include "reference/rl/serving/policy_ranks.hpp"
#include "reference/rl/weight_sync/weight_sync.hpp"

namespace parity::reference {

/// Returns the dtype of the generator's weights.
torch::ScalarType generator_dtype(const RunConfig& config);

/// Returns the version of the policy that a run serves after so many updates:
///
/// | synchronous  | the last multiple of rl.push_every up to them |
/// | asynchronous | max(0, updates - rl.staleness)                |
int64_t due_version(const RlConfig& config, int64_t updates);

/// The generating half of a policy's run, on a rank that generates: a generator, and the pushed weights that
/// it serves.
class PolicyServer {
 public:
  /// \throws UserError if rl.push_omits names no weight. Also as Generator's constructor
  PolicyServer(const RunConfig& config, const ModelDimensions& dimensions, const PolicyRanks& ranks);

  /// Returns this rank's shards of the generator's weights.
  const Parameters& weights() const { return generator_.parameters(); }
  /// Generates the share of this rank's generator. \throws UserError as Generator::generate
  std::vector<Completion> complete(std::span<const GenerationRequest> requests);
  /// Takes part in the push of a version, serves its weights, and stamps with it what is generated next.
  /// Collective over the ranks of `sync`. \throws UserError, PeerLost as WeightSync
  PushResult pull(WeightSync& sync, int64_t version);

 private:
  PolicyRanks ranks_;
  Generator generator_;
  std::vector<torch::Tensor> omitted_;  ///< served weights that only the first push brings
  bool serves_stale_;
  std::vector<torch::Tensor> newest_;  ///< weights of the last push, which a stale pull serves next
};

}  // namespace parity::reference
