// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// MKL asks its function mkl_serv_intel_cpu_true before it takes a branch that only Intel's CPUs are promised.
// This definition answers first: it is part of parity-train, and of the library that the harness preloads
// into commands.
#include <cstdlib>
#include <cstring>

extern "C" [[gnu::visibility("default")]] int mkl_serv_intel_cpu_true();

/// Returns 1 if MKL may take Intel's branches, else 0; never fails. It may on Intel's CPUs. It also may on
/// every CPU with AVX2 and FMA if MKL_CBWR asks for the AVX2 branch.
extern "C" int mkl_serv_intel_cpu_true() {
  __builtin_cpu_init();
  if (__builtin_cpu_is("intel"))
    return 1;
  const char* branch = std::getenv("MKL_CBWR");
  const bool asked = branch != nullptr && std::strncmp(branch, "AVX2", 4) == 0;
  return asked && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? 1 : 0;
}
