// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/logs/read/empty_cells.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/logs/channel_names.hpp"
#include "harness/logs/regular_steps.hpp"

namespace parity::logs {
namespace {

using RowSteps = std::vector<int64_t>;

bool has_step(const LogChannel& channel, int64_t step) {
  return std::ranges::binary_search(channel.steps, step);
}

/// Returns whether the row of a step has a channel that the row of another step lacks.
bool has_other_channel(const Log& log, int64_t step, int64_t other) {
  return std::ranges::any_of(log.channels, [&](const auto& entry) {
    return entry.second.kind != trace::ChannelKind::timing && has_step(entry.second, step) &&
           !has_step(entry.second, other);
  });
}

/// Returns the steps at which an empty cell of a channel stands for NaN.
RowSteps steps_of_nan(const Log& log, const std::string& name, const RowSteps& rows) {
  constexpr std::ptrdiff_t fewest_at_end = 2;
  const LogChannel& channel = log.channels.at(name);
  RowSteps due = due_steps(channel.steps, rows);
  std::erase_if(due, [&](int64_t step) {
    const auto after = std::ranges::lower_bound(channel.steps, step);
    return after == channel.steps.begin() || has_other_channel(log, step, *(after - 1));
  });
  const auto end = std::ranges::upper_bound(due, channel.steps.back());
  if (!is_training_result(name) || due.end() - end < fewest_at_end)
    due.erase(end, due.end());
  return due;
}

/// Adds NaN at steps that a channel lacks.
void add_nan(LogChannel& channel, const RowSteps& at) {
  LogChannel filled{channel.kind, {}, {}, channel.source};
  for (size_t i = 0, j = 0; i < channel.steps.size() || j < at.size();) {
    const bool own = j == at.size() || (i < channel.steps.size() && channel.steps[i] < at[j]);
    filled.steps.push_back(own ? channel.steps[i] : at[j]);
    filled.values.push_back(own ? channel.values[i] : std::numeric_limits<double>::quiet_NaN());
    ++(own ? i : j);
  }
  channel = std::move(filled);
}

}  // namespace

void fill_empty_cells(Log& log, const std::vector<int64_t>& empty_rows) {
  RowSteps rows = log.steps();
  rows.insert(rows.end(), empty_rows.begin(), empty_rows.end());
  std::ranges::sort(rows);
  rows.erase(std::ranges::unique(rows).begin(), rows.end());
  std::map<std::string, RowSteps> found;
  for (const auto& [name, channel] : log.channels)
    if (channel.kind != trace::ChannelKind::timing)
      if (RowSteps at = steps_of_nan(log, name, rows); !at.empty())
        found[name] = std::move(at);
  for (const auto& [name, at] : found) {
    add_nan(log.channels.at(name), at);
    log.notes.push_back(fmt::format("{} is empty at {}, first {}, and counts as NaN there",
                                    parity::quoted(log.channels.at(name).source),
                                    compare::count_text(at.size(), "step"), at.front()));
  }
}

}  // namespace parity::logs
