// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>

#include "reference/config/command_line.hpp"

namespace parity::reference {

/// Trains as asked: from a fresh model or a checkpoint, to the end or to a stop, with or without a trace.
/// \param log  warnings, and a line for each update unless quiet
/// \throws NonFinite after recording it, UserError for files that cannot be read or written
void run(const Invocation& invocation, std::ostream& log);

}  // namespace parity::reference
