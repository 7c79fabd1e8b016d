// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <string>

#include "harness/base/error.hpp"
#include "harness/base/json/json.hpp"

namespace parity::capi {

/// The reason of this thread's last failure.
std::string& last_error();

/// Runs `work`. Turns an exception into its exit status, and keeps the message as last_error().
template <class Work>
int guarded(const Work& work) noexcept {
  try {
    work();
    return 0;
  } catch (const UserError& error) {
    last_error() = error.what();
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {
    last_error() = error.what();
    return static_cast<int>(ExitCode::internal);
  }
}

/// Returns an argument that has to be there. \throws UserError if it is null
template <class T>
T& needed(T* argument, const char* what) {
  if (argument == nullptr)
    throw UserError(std::string(what) + " is NULL; give one");
  return *argument;
}

/// Returns a string that has to be there. \throws UserError if it is null
inline const char* needed_text(const char* text, const char* what) {
  return &needed(text, what);
}

/// Parses an argument. Returns {} for null. \throws UserError if it is not a JSON object
Json parse_object(const char* text, const char* what);

}  // namespace parity::capi
