// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/cases/profile.hpp"

namespace parity::suite {

std::map<std::string, std::string> profile_environment(Profile profile, int threads) {
  const std::string count = std::to_string(threads);
  std::map<std::string, std::string> environment = {
      {"OMP_NUM_THREADS", count},
      {"MKL_NUM_THREADS", count},
      {"OMP_DYNAMIC", "FALSE"},
      {"MKL_DYNAMIC", "FALSE"},
      {"CUBLAS_WORKSPACE_CONFIG", ":4096:8"},  // cuBLAS is deterministic only with a fixed workspace
      {"MKL_CBWR", "AUTO,STRICT"},
  };
  if (profile == Profile::portable) {
    environment["ATEN_CPU_CAPABILITY"] = "avx2";
    environment["MKL_CBWR"] = "AVX2,STRICT";  // works on every vendor's CPU with reference/mkl
    environment["ONEDNN_MAX_CPU_ISA"] = "AVX2";
  }
  return environment;
}

}  // namespace parity::suite
