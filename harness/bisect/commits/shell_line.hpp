// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "harness/base/process.hpp"
#include "harness/base/progress.hpp"

namespace parity {

/// A command line that somebody typed for a shell: a build, a run. It reads what it is about from its
/// environment, so that nothing is put into its text.
struct ShellLine {
  std::string text;
  std::filesystem::path folder;  ///< where it starts
  std::map<std::string, std::string> environment;
  std::filesystem::path log;  ///< new file; stdout and stderr, bounded
  double timeout_seconds = 3600;
};

struct ShellEnd {
  std::optional<WaitStatus> status;  ///< nothing: it was ended, since it took too long
  double seconds = 0;

  bool succeeded() const { return status && status->succeeded(); }
  /// "exit status 1", "killed by signal 9 (KILL)", "no end within 60s".
  std::string text() const;
};

/// Runs it by /bin/sh in a process group of its own, which is gone afterwards.
/// \param what  for the live line: "3f2a1bc042 is built"
/// \throws UserError (exit 130) after Ctrl-C, with the group ended
ShellEnd run_shell_line(const ShellLine& line, const std::string& what, Progress& progress);

}  // namespace parity
