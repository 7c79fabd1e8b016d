// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/numerics/determinism.hpp"

#include <ATen/Context.h>
#include <ATen/Parallel.h>

namespace parity::reference {

void make_deterministic(int64_t threads) {
  at::Context& context = at::globalContext();
  context.setDeterministicAlgorithms(/*enabled=*/true, /*warn_only=*/false);
  context.setDeterministicFillUninitializedMemory(false);
  context.setFloat32MatmulPrecision("highest");
  at::set_num_threads(static_cast<int>(threads));
}

}  // namespace parity::reference
