// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/logs/compare/filter.hpp"
#include "harness/logs/log.hpp"

namespace parity::logs {

/// Which channels of two logs are compared, and which are not.
struct ChannelMatch {
  std::vector<std::string> common;                   ///< compared
  std::vector<std::string> first_only, second_only;  ///< wanted channels that one log has
  std::vector<std::string> clocks;                   ///< channels of both that measure time, speed or memory

  /// Returns what is left out, for a verdict: "only the first has eval_loss". "" if nothing is.
  std::string left_out() const;
  /// Returns what is left out, in full sentences.
  std::vector<std::string> notes() const;
};

/// Matches the channels of two logs by name.
/// \throws UserError (exit 3) if a glob of the filter or no channel at all is common
ChannelMatch match_channels(const Log& first, const Log& second, const LogFilter& filter);

}  // namespace parity::logs
