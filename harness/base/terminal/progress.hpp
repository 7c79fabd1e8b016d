// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdio>
#include <string>

namespace parity {

/// Progress of a job, in any unit of work.
struct Advance {
  double done = 0;   ///< work finished in this program run
  double total = 0;  ///< total work of this program run
  double seconds = 0;
};

/// Returns the remaining time at the rate so far, "1m 05s left"; "" if it is unknown.
std::string time_left(const Advance& advance);

/// Formats a duration: "0.4s", "12s", "3m 07s".
std::string format_duration(double seconds);

/// Shows progress on a stream: one live line on a terminal, otherwise only the notes.
class Progress {
 public:
  explicit Progress(std::FILE* stream);
  Progress(std::FILE* stream, bool live) : stream_(stream), live_(live) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  bool live() const { return live_; }
  /// Redraws the live line, cut to the terminal's width, at most ten times a second.
  void show(const std::string& line);
  /// Prints a permanent line above the live one.
  void note(const std::string& line);
  void clear();

 private:
  std::FILE* stream_;
  bool live_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace parity
