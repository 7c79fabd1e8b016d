// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <iosfwd>

#include "reference/comm/job.hpp"
#include "reference/config/command_line.hpp"
#include "reference/train/run/generator_rank.hpp"

namespace parity::reference {

class Trainer;
struct StepResult;

/// Makes one update of a trainer at each call.
using Updates = std::function<StepResult()>;
/// Returns the Updates of a trainer. Called before a checkpoint is loaded into it.
/// \param all  every rank of the run: the trainer's, then those that only generate
using MakeUpdates = std::function<Updates(Trainer& trainer, const GroupPointer& all)>;

/// What drives runs from outside the trainer.
struct Drivers {
  MakeUpdates updates = {};  ///< empty, or returns an empty function: the trainer makes its own updates
  MakeServing serving = {};  ///< for ranks that only generate
};

/// Trains from a new model or a checkpoint, to the end or to a stop, with or without a trace. Every rank of
/// the job calls it and writes its file of the trace; rank 0 writes checkpoint and log. The last
/// rl.generator.ranks ranks only generate.
/// \param log  receives warnings, and a line for each update unless quiet
/// \throws NonFinite after recording it. UserError if a file cannot be read or written, or the job does not
/// have the size of the mesh. PeerLost if another rank has ended
void run(const Invocation& invocation, const Job& job, std::ostream& log, const Drivers& drivers = {});

}  // namespace parity::reference
