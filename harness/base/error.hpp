// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>

#include "harness/base/exit_code.hpp"

namespace parity {

/// A problem the user can fix: bad input (exit 2), something missing (3), a failed run (4). The message reads
/// "cannot DO OBJECT (CAUSE); HINT". The cause is a fact, the hint a command or a value. Programs print it
/// without a stack trace.
class UserError : public std::runtime_error {
 public:
  explicit UserError(const std::string& message, ExitCode code = ExitCode::bad_input)
      : std::runtime_error(message), code_(code) {}

  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

/// A broken invariant of this program (exit 70). Not a UserError, so it is never reported as the user's
/// mistake.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Throws InternalError "file:line: message" unless `condition` holds.
inline void require(bool condition, const std::string& message,
                    std::source_location where = std::source_location::current()) {
  if (!condition)
    throw InternalError(std::string(where.file_name()) + ":" + std::to_string(where.line()) + ": " + message);
}

}  // namespace parity
