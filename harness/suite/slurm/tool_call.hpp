// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/processes/process.hpp"

namespace parity::suite {

/// The answer of a command of the scheduler.
struct ToolAnswer {
  bool succeeded = false;
  std::string out;
  std::string err;  ///< its stderr, or why it could not be started or was ended
};

/// A command of the scheduler in execution. Such a command may take minutes if the scheduler is busy.
class ToolCall {
 public:
  /// Starts the command. It is ended if it takes longer than `limit`.
  explicit ToolCall(const std::vector<std::string>& argv,
                    std::chrono::seconds limit = std::chrono::seconds(180));
  ~ToolCall();
  ToolCall(const ToolCall&) = delete;
  ToolCall& operator=(const ToolCall&) = delete;

  /// Returns the answer, once; nothing while the command runs.
  std::optional<ToolAnswer> poll();
  /// Returns what the command has written on stderr so far.
  std::string err_so_far() const;
  /// Waits for the answer.
  ToolAnswer wait();

 private:
  std::filesystem::path folder_;  ///< of its output
  std::optional<Process> process_;
  std::string problem_;
  std::chrono::steady_clock::time_point end_;
};

}  // namespace parity::suite
