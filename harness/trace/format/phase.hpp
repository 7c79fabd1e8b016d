// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/base/enum_names.hpp"

namespace parity::trace {

/// The point of a step at which a tensor was recorded, in the order of a step. `grad_local` is before any
/// reduction over ranks, `grad` after it. Source: harness/trace/FORMAT.md.
enum class Phase { input, forward, backward, grad_local, grad, grad_clipped, optim, param };

constexpr auto enum_names(Phase) {
  return named<Phase::param>(
      "phase", {"input", "forward", "backward", "grad_local", "grad", "grad_clipped", "optim", "param"});
}

}  // namespace parity::trace
