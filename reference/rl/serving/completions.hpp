// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reference/config/run_config.hpp"
#include "reference/rl/advantages.hpp"
#include "reference/rl/generator/generator.hpp"
#include "reference/rl/serving/policy_ranks.hpp"

namespace parity::reference {

/// Returns the groups of an update's completions in order.
std::vector<RewardGroup> groups_of(const RunConfig& config);

/// Returns an update's prompts, one request for each completion in order. They depend on the config and the
/// number of the update alone, so every rank has them.
std::vector<GenerationRequest> requests_of(const RunConfig& config, int64_t update);

/// Consecutive completions of an update that one generator writes.
struct CompletionShare {
  int64_t first = 0;
  int64_t count = 0;
};

/// Returns the share of this rank's generator; nothing on a rank that only trains.
/// \param count  of the update's completions
CompletionShare share_of(const PolicyRanks& ranks, int64_t count);

/// Computes a digest of the prompt and completion of each rollout, with their lengths.
/// \param sequences  a prompt, its completion, the next prompt, ...
int64_t digest_of_tokens(const std::vector<std::span<const int64_t>>& sequences);

/// Gives every rank all completions of an update: tokens, log probabilities and the version that wrote them.
/// \param own      of share_of(ranks, count), the same on all ranks of a generator
/// \param count    of the update's completions
/// \param longest  most tokens of a completion
/// \return [count], on every rank. \throws PeerLost
std::vector<Completion> exchange_completions(const PolicyRanks& ranks, const std::vector<Completion>& own,
                                             int64_t count, int64_t longest);

}  // namespace parity::reference
