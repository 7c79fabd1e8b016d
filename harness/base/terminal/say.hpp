// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace parity {

/// Prints a message for people on a stream. Never throws if the stream is closed or full: a lost message
/// changes no verdict and no exit status.
template <class... Args>
void say_on(std::FILE* stream, fmt::format_string<Args...> format, Args&&... args) {
  const std::string text = fmt::format(format, std::forward<Args>(args)...);
  [[maybe_unused]] const size_t written = std::fwrite(text.data(), 1, text.size(), stream);
}

/// Prints a message for people on stderr, as say_on.
template <class... Args>
void say(fmt::format_string<Args...> format, Args&&... args) {
  say_on(stderr, format, std::forward<Args>(args)...);
}

}  // namespace parity
