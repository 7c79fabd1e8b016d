// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace parity {

/// What to start. There is no shell: each argument arrives as it stands.
struct ProcessSpec {
  std::vector<std::string> argv;                   ///< argv[0] is looked up in PATH unless it has a '/'
  std::map<std::string, std::string> environment;  ///< added to, or replacing, this process's own
  std::filesystem::path stdout_file;               ///< appended to; empty: /dev/null
  std::filesystem::path stderr_file;               ///< likewise
  pid_t group = 0;                                 ///< process group to join; 0: lead a new one
  std::string mark = {};  ///< one more mark for it and what it starts (offspring.hpp); "": none
};

/// How a process ended, as wait(2) tells it.
class WaitStatus {
 public:
  explicit WaitStatus(int raw) : raw_(raw) {}
  bool succeeded() const;
  /// The exit status; empty if a signal ended the process.
  std::optional<int> exit_status() const;
  /// "exit status 3" or "killed by signal 9 (KILL)".
  std::string text() const;

 private:
  int raw_;
};

/// A child process. It dies with the thread that started it, so start children from the main thread. What the
/// child starts itself dies with this process too (offspring.hpp).
class Process {
 public:
  /// \throws UserError if the program cannot be started: "cannot start X (why); ..."
  static Process spawn(const ProcessSpec& spec);
  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;
  ~Process();  ///< kills the process if it still runs

  pid_t pid() const { return pid_; }
  /// How it ended, or nothing while it runs.
  std::optional<WaitStatus> poll();
  /// Waits at most `limit`. Nothing if it still runs then.
  std::optional<WaitStatus> wait_for(std::chrono::milliseconds limit);
  /// Ends it: TERM, and KILL after `grace`.
  WaitStatus stop(std::chrono::milliseconds grace);

 private:
  explicit Process(pid_t pid) : pid_(pid) {}
  pid_t pid_ = -1;
  std::optional<WaitStatus> ended_;
};

/// Returns the path that a program's name stands for: itself where it has a '/', else the first in PATH.
/// \throws UserError (exit 3) if PATH has no such program
std::string find_program(const std::string& name);

/// Sends a signal to every process of a group; a group that is gone already is fine.
void signal_group(pid_t group, int signal);

/// The command line as a shell takes it back: words are quoted where they need it, and hold
/// nothing that a terminal would act on.
std::string shell_quote(const std::vector<std::string>& argv);

/// The last `lines` lines of a file, of at most `bytes` bytes, made visible(); "" if there is no file.
std::string tail_of(const std::filesystem::path& file, size_t lines, size_t bytes = 8192);

}  // namespace parity
