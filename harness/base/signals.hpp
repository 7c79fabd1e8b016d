// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace parity {

/// While it lives, Ctrl-C (INT) and TERM only raise a flag, so that children can be ended and finished
/// results written; a second signal ends the program at once. Inside another one it changes nothing. For one
/// thread.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
};

/// Whether the signal has come. Stays set after the guard is gone.
bool interrupted();

}  // namespace parity
