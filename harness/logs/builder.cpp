// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/logs/builder.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/compare/text/wording.hpp"

namespace parity::logs {
namespace {

constexpr size_t most_channels = 4096;
constexpr size_t most_values = 256U << 20U;
constexpr size_t longest_name = 200;

/// Returns why no channel can have this name; "" if one can.
std::string name_problem(const std::string& name) {
  if (name.empty() || name.size() > longest_name)
    return fmt::format("a name of {} bytes, expected 1 to {}", name.size(), longest_name);
  if (std::ranges::any_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }) ||
      !is_utf8(name))
    return fmt::format("the name {} has control characters or is not UTF-8", parity::quoted(name));
  const std::string padded = "/" + name + "/";
  if (padded.find("/../") != std::string::npos || padded.find("/./") != std::string::npos)
    return fmt::format("the name {} has a part '.' or '..'", parity::quoted(name));
  return "";
}

/// Sorts rows by step. Of equal steps, keeps the row that came last. Returns how many were dropped.
size_t sort_rows(std::vector<std::pair<int64_t, double>>& rows, std::set<int64_t>& repeated) {
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  size_t kept = 0;
  for (const auto& row : rows) {
    if (kept > 0 && rows[kept - 1].first == row.first) {
      rows[kept - 1] = row;
      repeated.insert(row.first);
    } else {
      rows[kept++] = row;
    }
  }
  const size_t dropped = rows.size() - kept;
  rows.resize(kept);
  return dropped;
}

}  // namespace

Builder::Column& Builder::column(const std::string& name) {
  if (const auto found = columns_.find(name); found != columns_.end())
    return found->second;
  if (const std::string problem = name_problem(name); !problem.empty())
    place_.refuse(problem, "rename the value in the log");
  if (columns_.size() == most_channels)
    place_.refuse(fmt::format("more than {} names", most_channels), "leave some out of the log");
  return columns_.emplace(name, Column{name_channel(name, map_), {}}).first->second;
}

void Builder::add(int64_t step, const std::string& name, double value) {
  if (++values_ > most_values)
    place_.refuse(fmt::format("more than {} values", most_values), "give a part of the log");
  column(name).rows.emplace_back(step, value);
}

std::vector<std::pair<std::string, Builder::Column*>> Builder::in_order_of_names() {
  std::vector<std::pair<std::string, Column*>> order;
  for (auto& [name, column] : columns_)
    order.emplace_back(name, &column);
  std::ranges::stable_sort(order, {}, [this](const auto& entry) {
    return map_.contains(entry.first) ? 0 : name_rank(entry.first) + 1;
  });
  return order;
}

Log Builder::finish() {
  Log log{place_.file(), format_, {}, std::move(notes_)};
  std::set<int64_t> repeated;
  for (auto& [name, column] : in_order_of_names()) {
    sort_rows(column->rows, repeated);
    LogChannel channel{column->named.kind, {}, {}, name};
    for (const auto& [step, value] : column->rows) {
      channel.steps.push_back(step);
      channel.values.push_back(value);
    }
    std::string as = column->named.channel;
    if (log.channels.contains(as) && as != name && !map_.contains(name)) {
      log.notes.push_back(fmt::format("{} keeps its name, since {} is the channel {}", parity::quoted(name),
                                      parity::quoted(log.channels[as].source), parity::quoted(as)));
      as = name;
    }
    if (log.channels.contains(as) && map_.contains(log.channels[as].source) && !map_.contains(name)) {
      log.notes.push_back(fmt::format("{} is left out, since --map makes {} the channel {}",
                                      parity::quoted(name), parity::quoted(log.channels[as].source),
                                      parity::quoted(as)));
      continue;
    }
    if (!log.channels.emplace(as, std::move(channel)).second)
      throw UserError(
          fmt::format("cannot read {} (its names {} and {} are both the channel {}); name one of them "
                      "by --map OTHER=NAME",
                      escape_to_line(place_.file()), parity::quoted(log.channels[as].source),
                      parity::quoted(name), parity::quoted(as)));
  }
  for (const auto& [name, channel] : map_)
    if (!columns_.contains(name))
      log.notes.push_back(fmt::format("no value is called {} (--map)", parity::quoted(name)));
  if (log.channels.empty())
    throw UserError("cannot read " + escape_to_line(place_.file()) + " (" + format_ +
                    " without a number at any step); give a log with a step number and numbers");
  if (!repeated.empty())
    log.notes.push_back(
        fmt::format("{} repeated, first {}; the last value of each counts",
                    compare::count_text(repeated.size(), "step") + (repeated.size() == 1 ? " is" : " are"),
                    *repeated.begin()));
  return log;
}

std::vector<int64_t> Log::steps() const {
  std::set<int64_t> all;
  for (const auto& [name, channel] : channels)
    all.insert(channel.steps.begin(), channel.steps.end());
  return {all.begin(), all.end()};
}

std::string Log::text() const {
  return fmt::format("{}: {}, {}, {}", escape_to_line(file), format,
                     compare::count_text(steps().size(), "step"),
                     compare::count_text(channels.size(), "channel"));
}

}  // namespace parity::logs
