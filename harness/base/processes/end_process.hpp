// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <cstdlib>
#include <iostream>

namespace parity {

/// Ends the process with this exit status, after its output is written, but without the destructors of static
/// objects: LibTorch needs a third of the time of a short run (0.1 s) to take its operators out of the
/// dispatcher. Everything that must be closed, such as a trace, is closed before. Under a sanitizer, which
/// looks for leaks at the regular end, it is std::exit.
[[noreturn]] inline void end_process(int status) {
  std::cout.flush();
  std::cerr.flush();
  std::fflush(nullptr);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  std::exit(status);
#else
  std::_Exit(status);
#endif
}

}  // namespace parity
