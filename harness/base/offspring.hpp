// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <sys/types.h>

namespace parity {

/// The variable that marks what this program starts. Its value lists marks, separated by ':'; a process
/// inherits those of every program above it.
inline constexpr const char* offspring_variable = "PARITY_OFFSPRING";

/// Returns a mark that no other process has: the process id, the time and a counter.
std::string new_offspring_mark();

/// Returns the mark that every child of this process carries.
std::string own_offspring_mark();

/// Returns the value of PARITY_OFFSPRING for a child: the inherited marks, this process's own, and `more`.
/// \param more  one more mark; "" for none
std::string offspring_marks(const std::string& more);

/// Kills every process that carries this mark, also those that left the process group or the session. Repeats
/// until none is left, for at most two seconds.
void end_offspring(const std::string& mark);

/// Starts a guard, once in each process. The guard is a process that outlives this one: where this process
/// dies (SIGKILL, SIGHUP, SIGPIPE, a crash), the guard kills what carries the mark and every group that
/// guard_group named. Where this process ends with exit, the guard ends and kills nothing.
void guard_offspring();

/// Names a process group that must not outlive this process, also where its members cleared their
/// environment.
void guard_group(pid_t group);
/// Takes the group back: its processes have ended.
void release_group(pid_t group);

}  // namespace parity
