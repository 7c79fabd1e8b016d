// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/trace/read/trace.hpp"

namespace parity::suite {

/// Returns that two runs start from different weights, as "A and B start from different weights (…)". Returns
/// "" if the weights are equal, unknown, or of different dtypes.
///
/// parity-train states a digest of all weights, which ranks and devices do not change. Other programs record
/// step 0 of phase param; tensors with one name, shape and dtype on both sides are compared.
std::string describe_first_weights(const std::string& a, const trace::Trace& trace_a, const std::string& b,
                                   const trace::Trace& trace_b);

}  // namespace parity::suite
