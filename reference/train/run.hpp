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

/// Makes one update after the other of a trainer, which it was made for before anything was loaded into it.
using Updates = std::function<StepResult()>;
using MakeUpdates = std::function<Updates(Trainer& trainer)>;

/// Trains as asked: from a fresh model or a checkpoint, to the end or to a stop, with or without a trace.
/// Every rank of the job calls it and writes its file of the trace; the first one writes checkpoint and log.
/// \param log           warnings, and a line for each update unless quiet
/// \param make_updates  of runs that are driven from outside the trainer
/// \throws NonFinite after recording it, UserError for files that cannot be read or written and for a job of
/// another size than the config's mesh, PeerLost when another rank is gone
void run(const Invocation& invocation, const Job& job, std::ostream& log,
         const MakeUpdates& make_updates = {});

}  // namespace parity::reference
