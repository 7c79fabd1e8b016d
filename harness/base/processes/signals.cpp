// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/base/processes/signals.hpp"

#include <csignal>
#include <initializer_list>

namespace parity {
namespace {

volatile std::sig_atomic_t flag = 0;
int guards = 0;

void raise_flag(int) {
  flag = 1;
}

void set_handler(void (*handler)(int), int flags) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  for (const int signal : {SIGINT, SIGTERM})
    ::sigaction(signal, &action, nullptr);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  if (guards++ > 0)
    return;
  flag = 0;
  set_handler(raise_flag, static_cast<int>(SA_RESETHAND));
}

InterruptGuard::~InterruptGuard() {
  if (--guards == 0)
    set_handler(SIG_DFL, 0);
}

bool interrupted() {
  return flag != 0;
}

}  // namespace parity
