// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/logs/trace_log.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/trace/write/recorder.hpp"

namespace parity::logs {
namespace {

/// Returns whether float64 holds every value.
bool holds_doubles(const trace::Channel& channel) {
  constexpr int64_t largest = int64_t{1} << 53;
  const auto* list = std::get_if<std::vector<int64_t>>(&channel.values);
  return !list || std::ranges::all_of(*list, [](int64_t v) { return v > -largest && v < largest; });
}

}  // namespace

Log log_of(const trace::Trace& trace, const std::string& file) {
  Log log{file, "trace", {}, {}};
  for (const auto& [name, channel] : trace.channels()) {
    if (!holds_doubles(channel)) {
      log.notes.push_back(parity::quoted(name) + " holds integers beyond 2^53 and is left out");
      continue;
    }
    log.channels[name] = {channel.kind, trace.steps(), channel.as_double(), name};
  }
  return log;
}

std::vector<std::string> write_trace(const Log& log, const std::filesystem::path& path) {
  const std::vector<int64_t> steps = log.steps();
  const int64_t shift = steps.front() == 0 ? 1 : 0;
  std::vector<std::string> notes = log.notes;
  if (shift == 1)
    notes.emplace_back("the log counts from 0, the trace from 1: each step is one later");
  for (const auto& [name, channel] : log.channels)
    if (channel.steps.size() < steps.size())
      notes.push_back(fmt::format("{} has values at {} of {} steps, and NaN at the others",
                                  parity::quoted(name), channel.steps.size(), steps.size()));
  trace::Recorder recorder({path, Json::object(), {{"imported", log.format}, {"warnings", notes}}, {}});
  std::map<std::string, size_t> at;
  for (const int64_t step : steps) {
    recorder.begin_step(step + shift);
    for (const auto& [name, channel] : log.channels) {
      size_t& next = at[name];
      const bool has = next < channel.steps.size() && channel.steps[next] == step;
      recorder.channel(name, has ? channel.values[next] : std::numeric_limits<double>::quiet_NaN(),
                       channel.kind);
      next += has ? 1 : 0;
    }
    recorder.end_step();
  }
  recorder.finish();
  return notes;
}

}  // namespace parity::logs
