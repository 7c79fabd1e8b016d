// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/base/terminal/terminal.hpp"

#include <cstdlib>

#include <sys/ioctl.h>
#include <unistd.h>

namespace parity {

bool is_terminal(std::FILE* stream) {
  const char* term = std::getenv("TERM");
  return ::isatty(::fileno(stream)) == 1 && !(term && std::string_view(term) == "dumb");
}

int terminal_width(std::FILE* stream) {
  winsize size = {};
  if (::ioctl(::fileno(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return 80;
  return size.ws_col;
}

Style Style::for_stream(std::FILE* stream) {
  const char* no_color = std::getenv("NO_COLOR");
  return Style(is_terminal(stream) && !(no_color && *no_color));
}

std::string Style::paint(std::string_view code, std::string_view text) const {
  if (!coloured_)
    return std::string(text);
  return "\033[" + std::string(code) + "m" + std::string(text) + "\033[0m";
}

}  // namespace parity
