// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/trace/trace.hpp"

namespace parity {

/// A channel at a step at which two runs do not have the same bits.
struct ChannelStation {
  int64_t step = 0;
  std::string channel;
  std::string expected, actual;  ///< the values, in full
};

/// The first step at which a numeric channel that both have differs, with every channel that does then; empty
/// if none does. Steps that only one of them has are not looked at.
/// \param beyond  0: in bits; else whole numbers do so, and others by more than this share of the expected
/// value
std::vector<ChannelStation> first_channels(const Trace& expected, const Trace& actual, double beyond = 0);

/// The first step at which a tensor of this phase differs, of those that both recorded.
std::optional<int64_t> first_step_of(const Trace& expected, const Trace& actual, Phase phase,
                                     double beyond = 0);

/// Numeric channels that only one of them has.
std::vector<std::string> lone_channels(const Trace& expected, const Trace& actual);

}  // namespace parity
