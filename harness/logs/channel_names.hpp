// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/trace/format/channel.hpp"

namespace parity::logs {

/// A common name of a value in logs, and the channel that it becomes.
struct ChannelName {
  std::string_view name, channel;
  trace::ChannelKind kind = trace::ChannelKind::numeric;
};

/// Returns the table of common names.
std::span<const ChannelName> common_names();

/// Names that the user gives: name in the log -> channel.
using NameMap = std::map<std::string, std::string>;

/// Parses "OURS=THEIRS" words. \throws UserError for a word without both names, or a name given twice
NameMap parse_map(const std::vector<std::string>& words);

/// The channel that a name of a log becomes.
struct Named {
  std::string channel;
  trace::ChannelKind kind = trace::ChannelKind::numeric;
};

/// Returns the channel of a name: the user's, else the table's, else the name itself. A name that measures
/// time, speed or memory becomes a timing channel: one of its words is "elapsed", "tps", "memory", ...
Named name_channel(const std::string& name, const NameMap& map);

/// Channels that a log of a training has: one that only one of two logs has is a gap.
inline constexpr std::array<std::string_view, 3> training_channels = {"loss", "grad_norm", "lr"};

/// Returns whether a channel follows from the weights: loss, eval_loss or grad_norm. Others, such as lr and
/// tokens, follow from the settings alone, or nothing is known of them.
bool is_training_result(std::string_view channel);

/// Returns whether values of a name have to be numbers: it is in the table of common names, or the user maps
/// it, and it measures no time. A text there is not a remark beside the numbers, but a value that no one
/// would compare.
bool needs_numbers(const std::string& name, const NameMap& map);

/// Returns a name's row in the table of common names; the number of rows if it has none.
size_t name_rank(std::string_view name);

/// Returns the rank of a step number's name: the smallest counts where an entry has several. Nothing for
/// other names. A name that the user maps to "step" comes first.
std::optional<size_t> step_rank(const std::string& name, const NameMap& map);

}  // namespace parity::logs
