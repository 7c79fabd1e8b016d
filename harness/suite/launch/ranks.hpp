// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "harness/base/processes/process.hpp"

namespace parity::suite {

/// The started ranks of one leg of a run: processes of this one (runs/local_ranks.hpp), or of a launcher
/// (launched_ranks.hpp). No member function but stop() waits.
class Ranks {
 public:
  Ranks() = default;
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  virtual ~Ranks() = default;

  /// Returns how a rank ended; nothing while it runs, or before it began.
  virtual std::optional<WaitStatus> ended(size_t rank) = 0;
  /// Returns whether every rank has ended, and the launcher too.
  virtual bool all_ended() = 0;
  /// Returns the process of a rank of this machine; 0 if it is on another one, or has not begun.
  virtual pid_t pid(size_t rank) = 0;
  /// Returns the machine of a rank; "" if it is this one, or not known yet.
  virtual std::string host(size_t rank) = 0;
  /// Returns why the launcher did not start or end all ranks as it should, in words; "" while it may still.
  virtual std::string launch_problem() = 0;
  /// Returns which rank ended well and whose trace did not arrive in the run's folder, in words; "" if there
  /// is none.
  virtual std::string lost_part() { return ""; }
  /// Ends every rank: TERM, then KILL after `grace`.
  virtual void stop(std::chrono::milliseconds grace) = 0;
  /// Ends processes that ended ranks left in the background.
  virtual void end_left_processes() = 0;
};

}  // namespace parity::suite
