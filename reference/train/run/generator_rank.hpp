// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "harness/base/files/heartbeat.hpp"
#include "reference/config/command_line.hpp"
#include "reference/parallel/core/collectives.hpp"

namespace parity::reference {

/// What a rank did that only generates, for one update of the trainer.
struct ServedUpdate {
  int64_t version = 0;         ///< of the weights that it generated with
  int64_t rollout_digest = 0;  ///< of prompts and completions of all generators
  int64_t tokens = 0;          ///< that its generator wrote
};

/// Serves the rollouts of an update at each call.
using Serving = std::function<ServedUpdate(int64_t update)>;
/// Returns what a rank of `all` does that only generates. The ranks that train make their Updates meanwhile.
using MakeServing = std::function<Serving(const RunConfig& config, const GroupPointer& all)>;

/// Runs a rank that only generates, for the updates that the trainer's ranks make. It writes its heartbeat
/// and its file of the trace: version and digest of each update's rollouts, which must be those of the ranks
/// that train, its tokens and its traffic. The trainer's state is on the other ranks alone.
/// \param config  of the process, with the layout of a run that resumes
/// \throws UserError, PeerLost
void run_generator_rank(const Invocation& invocation, const RunConfig& config, const GroupPointer& all,
                        Heartbeat& heartbeat, const MakeServing& make_serving);

/// Tells all ranks how many updates the trainer has made when it starts. Every rank calls it.
/// \param own  of a rank that trains. \return of rank 0
int64_t share_progress(int64_t own, const Group& all);

}  // namespace parity::reference
