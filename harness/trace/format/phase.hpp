// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/base/enum_names.hpp"

namespace parity {

/// The point of a step at which a tensor was recorded, in the order of a step. `grad_local` is before any
/// reduction over ranks, `grad` after it. Source: harness/trace/FORMAT.md.
enum class Phase { input, forward, backward, grad_local, grad, grad_clipped, optim, param };

template <>
struct EnumNames<Phase> {
  static constexpr std::string_view what = "phase";
  static constexpr std::array<std::string_view, 8> names = {"input", "forward",      "backward", "grad_local",
                                                            "grad",  "grad_clipped", "optim",    "param"};
};
static_assert(EnumNames<Phase>::names.size() == static_cast<size_t>(Phase::param) + 1);

}  // namespace parity
