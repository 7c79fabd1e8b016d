// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/runs/local_ranks.hpp"

#include <algorithm>
#include <csignal>

namespace parity::suite {
using Clock = std::chrono::steady_clock;

bool LocalRanks::all_ended() {
  return std::ranges::all_of(processes_, [](Process& rank) { return rank.poll().has_value(); });
}

void LocalRanks::stop(std::chrono::milliseconds grace) {
  if (processes_.empty())
    return;
  const pid_t group = processes_.front().pid();
  signal_group(group, SIGTERM);
  signal_group(group, SIGCONT);  // a stopped process would not handle the next signal
  const auto deadline = Clock::now() + grace;
  for (Process& rank : processes_)
    rank.wait_for(std::max(std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()),
                           std::chrono::milliseconds(0)));
  signal_group(group, SIGKILL);  // also ends processes that the ranks started
  for (Process& rank : processes_)
    rank.stop(std::chrono::milliseconds(0));
}

void LocalRanks::end_left_processes() {
  if (!processes_.empty())
    signal_group(processes_.front().pid(), SIGKILL);
}

}  // namespace parity::suite
