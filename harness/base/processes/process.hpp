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

/// A program to start. No shell is involved: each argument arrives unchanged.
struct ProcessSpec {
  std::vector<std::string> argv;                   ///< argv[0] is looked up in PATH unless it has a '/'
  std::map<std::string, std::string> environment;  ///< added to this process's own, or replacing it
  std::filesystem::path stdout_file;               ///< appended to; empty: /dev/null
  /// Appended to; empty: /dev/null.
  std::filesystem::path stderr_file;
  pid_t group = 0;  ///< process group to join; 0: lead a new one
  /// One more mark for the process and its children (offspring.hpp); "" for none.
  std::string mark = {};
  std::vector<int> cores = {};  ///< to run on; empty: all that this process may use
  /// Variables that it does not inherit, unless `environment` sets them.
  std::vector<std::string> hidden = {};
};

/// Returns when this process was started [wall clock], to 10 ms. The epoch if the system does not say.
std::chrono::system_clock::time_point process_start();

/// How a process ended: the status of wait(2).
class WaitStatus {
 public:
  explicit WaitStatus(int raw) : raw_(raw) {}
  int raw() const { return raw_; }
  bool succeeded() const;
  /// Returns the exit status; nothing if a signal ended the process.
  std::optional<int> exit_status() const;
  /// Returns "exit status 3" or "killed by signal 9 (KILL)".
  std::string text() const;

 private:
  int raw_;
};

/// A child process. The kernel kills it when the thread that started it ends, so start children from the main
/// thread. The child's own children die with this process too (offspring.hpp).
class Process {
 public:
  /// Starts a process. \throws UserError "cannot start X (CAUSE); ..." if the program cannot be started
  static Process spawn(const ProcessSpec& spec);
  /// Takes over a child that another way has started, such as a fork server.
  static Process adopt(pid_t child) { return Process(child); }
  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;
  /// Kills the process if it is still running.
  ~Process();

  pid_t pid() const { return pid_; }
  /// Returns how the process ended; nothing while it runs.
  std::optional<WaitStatus> poll();
  /// Waits for the process, at most `limit`. Returns nothing if it is still running then.
  std::optional<WaitStatus> wait_for(std::chrono::milliseconds limit);
  /// Ends the process: sends TERM, then KILL after `grace`.
  WaitStatus stop(std::chrono::milliseconds grace);

 private:
  explicit Process(pid_t pid) : pid_(pid) {}
  pid_t pid_ = -1;
  std::optional<WaitStatus> ended_;
};

/// Returns the path of a program: `name` itself if it contains a '/', else the first match in PATH.
/// \throws UserError (exit 3) if PATH has no such program
std::string find_program(const std::string& name);

/// Sends a signal to every process of a group; ignores a group that is already gone.
void signal_group(pid_t group, int signal);

/// Returns the command line in a form that a shell accepts. Words are quoted if necessary, and control
/// characters are escaped, so that a terminal does not act on them.
std::string shell_quote(const std::vector<std::string>& argv);

/// Returns the last `lines` lines of a file, at most `bytes` bytes, escaped for a terminal; "" if there is no
/// file.
std::string tail_of(const std::filesystem::path& file, size_t lines, size_t bytes = 8192);

}  // namespace parity
