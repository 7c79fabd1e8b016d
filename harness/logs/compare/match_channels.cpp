// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/logs/compare/match_channels.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/base/text/glob.hpp"
#include "harness/base/text/nearest.hpp"
#include "harness/compare/text/wording.hpp"

namespace parity::logs {
namespace {

using Names = std::vector<std::string>;

bool is_clock(const Log& log, const std::string& name) {
  const auto found = log.channels.find(name);
  return found != log.channels.end() && found->second.kind == trace::ChannelKind::timing;
}

bool matches_any(const std::string& name, const Names& patterns) {
  return std::ranges::any_of(patterns, [&](const std::string& p) { return glob_match(p, name); });
}

/// Returns the names of the channels that are not clocks.
Names result_names(const Log& log) {
  Names names;
  for (const auto& [name, channel] : log.channels)
    if (channel.kind != trace::ChannelKind::timing)
      names.push_back(name);
  return names;
}

void check_filter(const ChannelMatch& match, const LogFilter& filter) {
  for (const std::string& pattern : filter.channels)
    if (std::ranges::none_of(match.common, [&](const std::string& n) { return glob_match(pattern, n); }))
      throw UserError(
          "no channel of both logs is called " + parity::quoted(pattern) + suggestion(pattern, match.common),
          ExitCode::missing);
}

/// Returns "only the first has lr and 3 more".
std::string few(const std::string& side, const Names& names) {
  constexpr size_t most = 3;
  if (names.empty())
    return "";
  Names shown(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(most, names.size())));
  if (names.size() > most)
    shown.push_back(fmt::format("{} more", names.size() - most));
  return fmt::format("only the {} has {}", side, escape_to_line(compare::list_text(shown), 300));
}

}  // namespace

std::string ChannelMatch::left_out() const {
  const std::string first = few("first", first_only), second = few("second", second_only);
  return first.empty() || second.empty() ? first + second : first + ", and " + second;
}

std::vector<std::string> ChannelMatch::notes() const {
  Names notes;
  if (!first_only.empty())
    notes.push_back("only the first has " + escape_to_line(compare::list_text(first_only), 400));
  if (!second_only.empty())
    notes.push_back("only the second has " + escape_to_line(compare::list_text(second_only), 400));
  if (!clocks.empty())
    notes.push_back(
        fmt::format("{} not compared, as time, speed and memory differ from run to run; --channel "
                    "NAME compares one",
                    escape_to_line(compare::list_text(clocks), 400) + (clocks.size() == 1 ? " is" : " are")));
  return notes;
}

ChannelMatch match_channels(const Log& first, const Log& second, const LogFilter& filter) {
  ChannelMatch match;
  for (const auto& [name, channel] : first.channels) {
    const bool both = second.channels.contains(name);
    const bool clock = is_clock(first, name) || is_clock(second, name);
    const bool named = std::ranges::find(filter.channels, name) != filter.channels.end();
    const bool wanted = filter.channels.empty() || matches_any(name, filter.channels);
    if (both && (clock ? named : wanted))
      match.common.push_back(name);
    else if (both && clock)
      match.clocks.push_back(name);
    else if (!both && !clock && wanted)
      match.first_only.push_back(name);
  }
  for (const std::string& name : result_names(second))
    if (!first.channels.contains(name) && (filter.channels.empty() || matches_any(name, filter.channels)))
      match.second_only.push_back(name);
  check_filter(match, filter);
  if (match.common.empty())
    throw UserError(
        fmt::format("the logs have no channel in common (the first has {}; the second has {}); name a "
                    "pair by --map OURS=THEIRS",
                    escape_to_line(compare::list_text(result_names(first)), 300),
                    escape_to_line(compare::list_text(result_names(second)), 300)),
        ExitCode::missing);
  return match;
}

}  // namespace parity::logs
