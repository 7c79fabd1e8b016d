// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "harness/trace/format/phase.hpp"

namespace parity::trace {

/// Identifies one tensor of a trace.
struct TensorKey {
  int64_t step = 0;
  Phase phase = Phase::param;
  std::string name;

  auto operator<=>(const TensorKey&) const = default;
};

}  // namespace parity::trace
