// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/suite/cases/flat_config.hpp"

namespace parity::suite {

/// Returns whether a config computes in 16 bits although its dtype is wider: by autocast, or by the
/// mixed-precision policy of FSDP units. The float64 twin of such a run uses neither.
bool computes_in_16_bits(const FlatConfig& config);

/// Returns the keys that turn 16-bit computation off; an arm with them computes in float32.
FlatConfig without_16_bits();

}  // namespace parity::suite
