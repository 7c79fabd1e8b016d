// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// libFuzzer's entry. The program's name says which target it runs: fuzz_trace_file.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/fuzz/targets.hpp"

namespace {

const parity::fuzz::Target* chosen = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char*** argv) {
  const std::string_view program = (*argv)[0];
  for (const parity::fuzz::Target& target : parity::fuzz::targets)
    if (program.ends_with("fuzz_" + std::string(target.name)))
      chosen = &target;
  if (!chosen)
    std::fprintf(stderr, "%s is named after no target of tests/fuzz/targets.hpp\n", (*argv)[0]);
  return chosen ? 0 : (std::exit(2), 2);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  chosen->run({reinterpret_cast<const char*>(data), size});
  return 0;
}
