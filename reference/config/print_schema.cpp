// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "reference/config/schema.hpp"

/// Prints what `parity-train --schema` prints, for the build, without loading LibTorch.
int main() {
  std::cout << parity::reference::config_schema().dump(2) << '\n';
  return std::cout.good() ? 0 : 70;
}
