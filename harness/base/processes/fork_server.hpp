// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/processes/process.hpp"

namespace parity {

/// A program that has started, and forks itself for each process that is asked of it. What it loads, it loads
/// once: LibTorch alone takes 0.2 s of a core.
///
/// The new process is a child of this one, as one of Process::spawn is: the server forks twice, and this
/// process adopts orphans (PR_SET_CHILD_SUBREAPER). Its memory is that of a program at the start of main, so
/// it computes the same bits.
class ForkServer {
 public:
  /// Starts the program with `--fork-server=FD` as its last argument.
  /// \param words        the program and its arguments
  /// \param environment  what the program reads while it loads, and is the same for each process
  /// \throws UserError as Process::spawn
  ForkServer(std::vector<std::string> words, const std::map<std::string, std::string>& environment);
  ForkServer(const ForkServer&) = delete;
  ForkServer& operator=(const ForkServer&) = delete;
  ~ForkServer();

  /// Starts a process with these arguments, environment, streams, group and cores. Its argv[0] and mark are
  /// not used. \throws UserError if the server does not answer within a minute
  Process spawn(const ProcessSpec& spec);

 private:
  explicit ForkServer(std::pair<int, Process> started);

  int socket_ = -1;
  Process server_;
};

/// Serves a ForkServer. Returns in each forked process, with its arguments; the server itself never returns,
/// but ends with the other side of the socket.
std::vector<std::string> serve_forks(int socket);

}  // namespace parity
