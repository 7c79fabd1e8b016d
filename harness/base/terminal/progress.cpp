// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/base/terminal/progress.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "harness/base/terminal/say.hpp"
#include "harness/base/terminal/terminal.hpp"
#include "harness/base/text/escape_for_terminal.hpp"

namespace parity {

std::string format_duration(double seconds) {
  if (!(seconds >= 0))
    return "?";
  if (seconds < 9.95)
    return fmt::format("{:.1f}s", seconds);
  const auto whole = static_cast<int64_t>(std::llround(seconds));
  if (whole < 60)
    return fmt::format("{}s", whole);
  if (whole < 3600)
    return fmt::format("{}m {:02}s", whole / 60, whole % 60);
  return fmt::format("{}h {:02}m", whole / 3600, whole / 60 % 60);
}

std::string time_left(const Advance& advance) {
  if (!(advance.done > 0) || !(advance.total > advance.done) || !(advance.seconds > 0))
    return "";
  return format_duration(advance.seconds * (advance.total - advance.done) / advance.done) + " left";
}

Progress::Progress(std::FILE* stream) : Progress(stream, is_terminal(stream)) {}

void Progress::show(const std::string& line) {
  const auto now = std::chrono::steady_clock::now();
  if (!live_ || (drawn_ && now - last_ < std::chrono::milliseconds(100)))
    return;
  last_ = now;
  drawn_ = true;
  const auto width = static_cast<size_t>(std::max(terminal_width(stream_) - 1, 10));
  say_on(stream_, "\r\033[K{}", escape_for_terminal(line).substr(0, width));
  std::fflush(stream_);
}

void Progress::note(const std::string& line) {
  clear();
  say_on(stream_, "{}\n", escape_for_terminal(line));
  std::fflush(stream_);
}

void Progress::clear() {
  if (drawn_)
    say_on(stream_, "\r\033[K");
  drawn_ = false;
  std::fflush(stream_);
}

}  // namespace parity
