// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/trace/read/trace.hpp"

namespace parity {

/// A channel at a step at which two runs do not have the same bits.
struct ChannelStation {
  int64_t step = 0;
  std::string channel;
  std::string expected, actual;  ///< the values, in full
};

/// Channels of one side, a value a step.
struct ChannelSide {
  const std::vector<int64_t>& steps;
  const std::map<std::string, Channel>& channels;

  ChannelSide(const std::vector<int64_t>& its_steps, const std::map<std::string, Channel>& its_channels)
      : steps(its_steps), channels(its_channels) {}
  // NOLINTNEXTLINE(google-explicit-constructor): a trace is such a side
  ChannelSide(const Trace& trace) : steps(trace.steps()), channels(trace.channels()) {}
};

/// The first step that both have at which a channel differs; nothing if it does not, one side lacks it, or it
/// tells times.
std::optional<ChannelStation> first_difference(const std::string& channel, const ChannelSide& expected,
                                               const ChannelSide& actual, double beyond = 0);

/// Of the channels of one step the one that says most of the cause.
const ChannelStation& channel_to_name(const std::vector<ChannelStation>& first);

/// "; with it loss, grad_norm": of the channels of one step all but the one that was named.
std::string describe_others(const std::vector<ChannelStation>& first, const ChannelStation& named);

/// The first step at which a numeric channel that both have differs, with every channel that does then; empty
/// if none does. Steps that only one of them has are not looked at.
/// \param beyond  0: in bits; else what collectives moved (comm.*) is no difference, whole numbers differ in
/// bits, and others by more than this share of the expected value
std::vector<ChannelStation> first_channels(const Trace& expected, const Trace& actual, double beyond = 0);

/// The first step at which a tensor of this phase differs, of those that both recorded.
std::optional<int64_t> first_step_of(const Trace& expected, const Trace& actual, Phase phase,
                                     double beyond = 0);

/// Numeric channels that only one of them has.
std::vector<std::string> lone_channels(const Trace& expected, const Trace& actual);

}  // namespace parity
