// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <sys/types.h>

namespace parity {

/// Environment variable that marks the processes this program starts. Its value lists marks, separated by
/// ':'. A process inherits the marks of all its ancestors.
inline constexpr const char* offspring_variable = "PARITY_OFFSPRING";

/// Returns a mark that no other process has: the process id, the time and a counter.
std::string new_offspring_mark();

/// Returns the mark that every child of this process carries.
std::string own_offspring_mark();

/// Returns the value of PARITY_OFFSPRING for a child: the inherited marks, this process's own, and `more`.
/// \param more  one more mark; "" for none
std::string offspring_marks(const std::string& more);

/// Kills every process that carries this mark, even one that left the process group or the session. Repeats
/// until none is left, for at most two seconds.
void end_offspring(const std::string& mark);

/// Starts a guard, once in each process. The guard is a process that outlives this one. If this process dies
/// (SIGKILL, SIGHUP, SIGPIPE, a crash), the guard kills every process that carries the mark and every group
/// passed to guard_group. If this process ends with exit, the guard ends and kills nothing.
void guard_offspring();

/// Registers a process group that must not outlive this process, even if its members cleared their
/// environment.
void guard_group(pid_t group);
/// Unregisters a group whose processes have ended.
void release_group(pid_t group);

}  // namespace parity
