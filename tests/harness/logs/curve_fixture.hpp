// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <gmock/gmock.h>

#include "harness/logs/log.hpp"

namespace parity::logs {

/// Returns a log of `count` steps from `first` on, `every` apart. Value i is that of update i * every.
inline Log curve(int64_t first, int64_t count, int64_t every = 1, const std::string& name = "loss") {
  Log log{"x", "test", {}, {}};
  LogChannel channel;
  for (int64_t i = 0; i < count; ++i) {
    channel.steps.push_back(first + i * every);
    channel.values.push_back(1.0 / static_cast<double>(2 + i * every));
  }
  log.channels[name] = channel;
  return log;
}

/// Returns a log of the loss at these steps. The value follows from the step.
inline Log curve_at(const std::vector<int64_t>& steps) {
  Log log{"x", "test", {}, {}};
  for (const int64_t step : steps) {
    log.channels["loss"].steps.push_back(step);
    log.channels["loss"].values.push_back(1.0 / static_cast<double>(step + 1));
  }
  return log;
}

}  // namespace parity::logs
