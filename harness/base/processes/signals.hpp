// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace parity {

/// Delays Ctrl-C (INT) and TERM during its lifetime: the first signal only sets a flag, so that children can
/// be ended and finished results written. A second signal ends the program immediately. A nested guard has no
/// effect. For one thread.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
};

/// Returns whether a signal has arrived. Stays true after the guard is destroyed.
bool interrupted();

}  // namespace parity
