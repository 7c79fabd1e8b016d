// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "harness/base/processes/process.hpp"

namespace parity::suite {

/// The exit status of a parity-train that lost its peer. It is rarely the first cause of a failure.
inline constexpr int peer_lost_status = 5;

/// The state of one rank of a failing run.
struct RankState {
  std::optional<WaitStatus> ended;  ///< set once the process has ended
  bool reports_lost_peer = true;    ///< whether its exit status can be peer_lost_status
  bool stopped = false;             ///< suspended by a signal
  std::string waits_in;             ///< the collective that it waits in; "" while it works
  int64_t collectives = 0;          ///< number of collectives begun so far
  int64_t updates = 0;              ///< by its heartbeat
};

/// The rank that made a run fail.
struct FailedRank {
  enum class Kind {
    ended,    ///< ended by a signal, or with an exit status of its own
    stopped,  ///< suspended by a signal while the others wait
    left,     ///< ended well while the others waited for it
    behind,   ///< runs, but is not in the collective where the others wait
    lost,     ///< every rank lost another one; none reported a cause
  };
  size_t rank = 0;
  Kind kind = Kind::ended;
};

/// Returns the rank that caused a failure; nothing while no rank failed, or while waiting may show a better
/// answer.
///
/// Looks for a rank that a signal ended, then one with an exit status other than peer_lost_status, then a
/// stopped one. The following need `waited`: a rank that ended well before the others, then
/// find_late_rank(), then the first that lost its peer.
/// \param waited  whether the caller has waited long enough for the first three kinds to show
std::optional<FailedRank> find_failed_rank(std::span<const RankState> ranks, bool waited);

/// Returns the rank that delays the others: a stopped one; one that works while another waits; or the one
/// with the fewest collectives, which waits in a different one than the rest. Of ranks that report no
/// collectives, it is the one with the fewest updates, which may have ended.
/// \return nothing if no rank runs, or their states do not differ
std::optional<FailedRank> find_late_rank(std::span<const RankState> ranks);

/// Returns whether a signal such as STOP suspends the process; false if there is no such process.
bool is_stopped(pid_t process);

/// Returns the text without the log lines and stack frames of LibTorch's process groups, or the whole text if
/// it has no other lines.
std::string without_noise(const std::string& text);

}  // namespace parity::suite
