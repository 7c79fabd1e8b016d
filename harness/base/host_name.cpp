// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/base/host_name.hpp"

#include <array>
#include <cstdlib>

#include <unistd.h>

namespace parity {

std::string host_name() {
  std::array<char, 256> name = {};
  const bool known = ::gethostname(name.data(), name.size() - 1) == 0 && name.front() != '\0';
  return known ? name.data() : "an unnamed host";
}

std::string node_name() {
  const char* node = std::getenv("SLURMD_NODENAME");
  return node == nullptr ? host_name() : node;
}

}  // namespace parity
