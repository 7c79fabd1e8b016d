// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/logs/log.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/compare/text/wording.hpp"

namespace parity::logs {

std::vector<int64_t> Log::steps() const {
  std::vector<int64_t> all, merged;
  for (const auto& [name, channel] : channels) {
    if (std::ranges::includes(all, channel.steps))
      continue;
    merged.clear();
    std::ranges::set_union(all, channel.steps, std::back_inserter(merged));
    std::swap(all, merged);
  }
  return all;
}

std::string Log::text() const {
  return fmt::format("{}: {}, {}, {}", escape_to_line(file), format,
                     compare::count_text(steps().size(), "step"),
                     compare::count_text(channels.size(), "channel"));
}

}  // namespace parity::logs
