// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "harness/base/processes/process.hpp"
#include "harness/base/terminal/progress.hpp"

namespace parity::bisect {

/// A command line for a shell that a user typed: a build, a run. The search passes values in its environment,
/// never by changing its text.
struct ShellLine {
  std::string text;
  std::filesystem::path folder;  ///< working folder
  std::map<std::string, std::string> environment;
  std::filesystem::path log;  ///< new file for stdout and stderr, of bounded size
  double timeout_seconds = 3600;
};

struct ShellEnd {
  std::optional<WaitStatus> status;  ///< not set: the time limit ended the command
  double seconds = 0;

  bool succeeded() const { return status && status->succeeded(); }
  /// Returns the end in words: "exit status 1", "killed by signal 9 (KILL)", "no end within 60s".
  std::string text() const;
};

/// Runs a command line with /bin/sh in its own process group, and ends that group afterwards.
/// \param what  text of the progress line: "3f2a1bc042 is built"
/// \throws UserError (exit 130) after Ctrl-C, with the group ended
ShellEnd run_shell_line(const ShellLine& line, const std::string& what, Progress& progress);

}  // namespace parity::bisect
