// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "harness/suite/launch/ranks.hpp"

namespace parity::suite {

/// Ranks that are processes of this one, in one process group.
class LocalRanks : public Ranks {
 public:
  /// Takes over started processes; the first leads the group.
  explicit LocalRanks(std::vector<Process> processes) : processes_(std::move(processes)) {}

  std::optional<WaitStatus> ended(size_t rank) override { return processes_[rank].poll(); }
  bool all_ended() override;
  pid_t pid(size_t rank) override { return processes_[rank].pid(); }
  std::string host(size_t /*rank*/) override { return ""; }
  std::string launch_problem() override { return ""; }
  void stop(std::chrono::milliseconds grace) override;
  void end_left_processes() override;

 private:
  std::vector<Process> processes_;
};

}  // namespace parity::suite
