// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/suite/cases/flat_config.hpp"

namespace parity {

/// What of a config says that a run computes in 16 bits although its dtype is wider: autocast, or the
/// mixed-precision policy of FSDP units. Its float64 twin has none of it.
bool computes_in_16_bits(const FlatConfig& config);

/// The keys that switch it off: the arm in float32.
FlatConfig without_16_bits();

}  // namespace parity
