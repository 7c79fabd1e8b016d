// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/trace/format/channel.hpp"

namespace parity::logs {

/// A scalar that a log has at some of its steps.
struct LogChannel {
  trace::ChannelKind kind = trace::ChannelKind::numeric;
  std::vector<int64_t> steps;  ///< ascending
  std::vector<double> values;  ///< one per step
  std::string source;          ///< its name in the log
};

/// What a log file holds, whatever its format.
struct Log {
  std::string file;    ///< as the user named it
  std::string format;  ///< "JSON lines", "CSV", ...
  std::map<std::string, LogChannel> channels;
  std::vector<std::string> notes;  ///< what a reader should know, such as repeated steps

  /// Returns the steps at which any channel has a value, ascending.
  std::vector<int64_t> steps() const;
  /// Returns "a.jsonl: JSON lines, 200 steps, 5 channels".
  std::string text() const;
};

}  // namespace parity::logs
