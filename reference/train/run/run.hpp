// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <iosfwd>

#include "reference/comm/job.hpp"
#include "reference/config/command_line.hpp"

namespace parity::reference {

class Trainer;
struct StepResult;

/// Makes one update of a trainer at each call.
using Updates = std::function<StepResult()>;
/// Returns the Updates of a trainer. Called before a checkpoint is loaded into it.
using MakeUpdates = std::function<Updates(Trainer& trainer)>;

/// Trains from a new model or a checkpoint, to the end or to a stop, with or without a trace. Every rank of
/// the job calls it and writes its file of the trace; rank 0 writes checkpoint and log.
/// \param log           receives warnings, and a line for each update unless quiet
/// \param make_updates  for runs that are driven from outside the trainer
/// \throws NonFinite after recording it. UserError if a file cannot be read or written, or the job does not
/// have the size of the mesh. PeerLost if another rank has ended
void run(const Invocation& invocation, const Job& job, std::ostream& log,
         const MakeUpdates& make_updates = {});

}  // namespace parity::reference
