// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/base/error.hpp"
#include "reference/data/npy.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/fuzz/targets.hpp"

namespace parity::fuzz {

void read_npy_file(std::string_view bytes) {
  const MemoryFile file(bytes);
  try {
    require(reference::read_npy_integers(file.path()).size() <= bytes.size(), "more values than bytes");
  } catch (const UserError&) {
    return;
  }
}

}  // namespace parity::fuzz
