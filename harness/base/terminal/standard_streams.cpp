// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/base/terminal/standard_streams.hpp"

#include <csignal>
#include <initializer_list>

#include <fcntl.h>
#include <unistd.h>

namespace parity {

void prepare_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    // open takes the lowest free number: this one.
    if (::fcntl(descriptor, F_GETFD) < 0)
      ::open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY);
  ::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace parity
