// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "harness/compare/tensors/flipped_bits.hpp"
#include "harness/compare/traces/first_divergence.hpp"

namespace parity::compare {

/// Returns the bits that flipped in a tensor between two runs.
///
/// Uses the values of both runs if both recorded them. If only one did, finds the one flipped bit that leads
/// to the digest of the other (find_flipped_bit). Looks at one rank's values if `at` names a rank.
/// \return nothing for a channel, if neither run recorded values, or if values of one run do not show it
std::optional<FlippedBits> divergence_bits(const FirstDivergence& at, const trace::Trace& expected,
                                           const trace::Trace& actual);

/// Returns "3.5 against 3.6" for a channel, the flipped bits of a tensor, or an estimate from sketches; "" if
/// nothing more is known.
std::string describe_divergence(const FirstDivergence& at, const TraceDifference& difference,
                                const trace::Trace& expected, const trace::Trace& actual);

}  // namespace parity::compare
