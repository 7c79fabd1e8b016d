// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "harness/base/process.hpp"

namespace parity {

/// The exit status of a parity-train whose peer is gone: seldom the first cause.
inline constexpr int peer_lost_status = 5;

/// What is known of one rank of a run that goes wrong.
struct RankState {
  std::optional<WaitStatus> ended;  ///< nothing while it runs
  bool tells_lost_peer = true;      ///< whether an exit status can be peer_lost_status
  bool stopped = false;             ///< runs, but a signal holds it
  std::string waits_in;             ///< the collective that it is in; "" while it works
  int64_t collectives = 0;          ///< begun so far
};

/// The rank that a run failed through.
struct FailedRank {
  enum class Kind {
    ended,    ///< by a signal, or with an exit status of its own
    stopped,  ///< a signal holds it, and the others wait
    left,     ///< ended well, while the others waited for it
    behind,   ///< runs, but is not where the others wait
    lost,     ///< every rank lost another one, and none says why
  };
  size_t rank = 0;
  Kind kind = Kind::ended;
};

/// Looks for the first cause among ranks some of which failed: a rank that a signal ended, then one that
/// ended with an exit status other than peer_lost_status, then one that is stopped. Only when `waited` enough
/// for those to show: a rank that ended well before the others, find_late_rank(), the first that lost its
/// peer.
/// \return nothing while no rank failed, or while it pays to wait
std::optional<FailedRank> find_failed_rank(std::span<const RankState> ranks, bool waited);

/// Who of the ranks that run holds up the others: one that is stopped; one that works while another waits;
/// the one with the fewest collectives, which waits in another one than the rest.
/// \return nothing if none runs, or nothing tells them apart
std::optional<FailedRank> find_late_rank(std::span<const RankState> ranks);

/// Whether a signal such as STOP holds the process. False if there is none.
bool is_stopped(pid_t process);

/// Lines without the log lines and stack frames of LibTorch's process groups; the text itself if there are
/// no others.
std::string without_noise(const std::string& text);

}  // namespace parity
