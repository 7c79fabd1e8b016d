// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>

#include "reference/comm/job.hpp"
#include "reference/config/command_line.hpp"

namespace parity::reference {

/// Trains as asked: from a fresh model or a checkpoint, to the end or to a stop, with or without a trace.
/// Every rank of the job calls it and writes its file of the trace; the first one writes checkpoint and log.
/// \param log  warnings, and a line for each update unless quiet
/// \throws NonFinite after recording it, UserError for files that cannot be read or written and for a job of
/// another size than the config's mesh, PeerLost when another rank is gone
void run(const Invocation& invocation, const Job& job, std::ostream& log);

}  // namespace parity::reference
