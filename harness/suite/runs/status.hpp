// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "harness/base/terminal/progress.hpp"
#include "harness/suite/runs/runner.hpp"

namespace parity::suite {

/// Shows the progress of the runs. Making the status line reads every heartbeat file, so it is made only as
/// often as it is shown.
class RunStatus {
 public:
  explicit RunStatus(Progress& progress) : progress_(progress) {}

  void show(const Runner& runner) {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_)
      return;
    if (progress_.live())
      progress_.show(runner.status_line());
    else if (next_.time_since_epoch().count() > 0)
      progress_.note(runner.status_line());  // CI may end a job whose log is silent for long
    next_ = now + (progress_.live() ? std::chrono::milliseconds(200) : std::chrono::minutes(1));
  }

 private:
  Progress& progress_;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace parity::suite
