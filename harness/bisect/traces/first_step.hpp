// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/trace/read/trace.hpp"

namespace parity::bisect {

/// A channel and a step at which the bits of two runs differ.
struct ChannelStation {
  int64_t step = 0;
  std::string channel;
  std::string expected, actual;  ///< the values with all digits
};

/// The channels of one side, with one value for each step.
struct ChannelSide {
  const std::vector<int64_t>& steps;
  const std::map<std::string, trace::Channel>& channels;

  ChannelSide(const std::vector<int64_t>& its_steps,
              const std::map<std::string, trace::Channel>& its_channels)
      : steps(its_steps), channels(its_channels) {}
  // NOLINTNEXTLINE(google-explicit-constructor): a trace is such a side
  ChannelSide(const trace::Trace& trace) : steps(trace.steps()), channels(trace.channels()) {}
};

/// Returns the first common step at which a channel differs; nothing if it does not differ, one side does not
/// have it, or it is a timing channel.
std::optional<ChannelStation> first_difference(const std::string& channel, const ChannelSide& expected,
                                               const ChannelSide& actual, double beyond = 0);

/// Returns the channel that says most about the cause, of the differing channels of one step.
const ChannelStation& channel_to_name(const std::vector<ChannelStation>& first);

/// Returns the channels of one step without the named one: "; with it loss, grad_norm".
std::string describe_others(const std::vector<ChannelStation>& first, const ChannelStation& named);

/// Returns every numeric channel that differs at the first step with such a channel; empty if there is none.
/// Compares only channels and steps that both traces have.
/// \param beyond  0: any changed bit counts. Else: channels of collectives (comm.*) do not count, any changed
///                integer counts, and other numbers count if they differ by more than this share of the
///                expected value.
std::vector<ChannelStation> first_channels(const trace::Trace& expected, const trace::Trace& actual,
                                           double beyond = 0);

/// A channel that ranks of one side record differently where those of the other side agree.
struct SplitChannel {
  int64_t step = 0;
  std::string channel;
  bool of_expected = false;  ///< else of the actual side
  int64_t rank = 0, other = 0;
  double value = 0, other_value = 0;

  /// Returns "loss of rank 1 of bad is 2.5 at step 3, that of rank 0 is 2".
  std::string text(const std::string& expected, const std::string& actual) const;
};

/// Returns the first of them; nothing if there is none.
std::optional<SplitChannel> first_split_channel(const trace::Trace& expected, const trace::Trace& actual);

/// Returns the first step at which a tensor of this phase differs, of the tensors that both traces have.
std::optional<int64_t> first_step_of(const trace::Trace& expected, const trace::Trace& actual,
                                     trace::Phase phase, double beyond = 0);

/// Returns the numeric channels that only one of the traces has.
std::vector<std::string> lone_channels(const trace::Trace& expected, const trace::Trace& actual);

}  // namespace parity::bisect
