// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/base/processes/cores.hpp"

#include <algorithm>

#include <sched.h>

namespace parity {

int core_count() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0)
    return 1;
  return std::max(CPU_COUNT(&set), 1);
}

}  // namespace parity
