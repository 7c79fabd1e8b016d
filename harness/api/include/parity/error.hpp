// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

/// The C++ interface of parity. It uses types of the standard library only. Its headers and libparity.so have
/// to be of one minor version.
namespace parity::api {

/// A failed call: what went wrong, why, and what to do.
class Error : public std::runtime_error {
 public:
  /// Creates an error. \param message  for people \param status  as status() returns it
  Error(const std::string& message, int status) : std::runtime_error(message), status_(status) {}

  /// Returns the exit status that a program should end with: 2 bad input, 3 something is missing, 70 a bug.
  int status() const { return status_; }

 private:
  int status_;
};

}  // namespace parity::api
