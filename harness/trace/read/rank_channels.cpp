// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/read/rank_channels.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "harness/base/error.hpp"

namespace parity::trace {
namespace {

/// Returns the larger value; NaN if either is NaN. With std::max and std::min the result would depend on the
/// order.
template <class T>
T larger(T a, T b) {
  return a != a ? a : b != b ? b : std::max(a, b);
}
template <class T>
T smaller(T a, T b) {
  return a != a ? a : b != b ? b : std::min(a, b);
}

/// Largest and smallest value of each step; NaN if any rank has one.
template <class T>
struct Extremes {
  std::vector<T> most;
  std::vector<T> least;

  void add(const std::vector<T>& values, size_t rows) {
    for (size_t i = 0; i < std::min(rows, most.size()); ++i) {
      const T value = i < values.size() ? values[i] : T{0};
      most[i] = larger(most[i], value);
      least[i] = smaller(least[i], value);
    }
  }
};

template <class T>
void join(const std::string& name, const std::vector<const TraceContent*>& files,
          std::map<std::string, Channel>& joined) {
  Extremes<T> extremes;
  for (const TraceContent* file : files) {
    const auto found = file->channels.find(name);
    if (found != file->channels.end() && !std::holds_alternative<std::vector<T>>(found->second.values))
      throw UserError(
          fmt::format("cannot join channel {} (its type on rank {}, in {}, differs from another rank's); "
                      "record one type on every rank",
                      name, file->rank, file->path.string()));
    const std::vector<T> values =
        found == file->channels.end() ? std::vector<T>() : std::get<std::vector<T>>(found->second.values);
    if (file == files.front()) {
      extremes.most = values;
      extremes.most.resize(file->steps.size());
      extremes.least = extremes.most;
    } else {
      extremes.add(values, file->steps.size());
    }
  }
  if (extremes.most != extremes.least)
    joined[name + ".min"] = {ChannelKind::numeric, std::move(extremes.least)};
  joined[name] = {ChannelKind::numeric, std::move(extremes.most)};
}

}  // namespace

std::map<std::string, Channel> join_channels(const std::vector<const TraceContent*>& files) {
  std::map<std::string, Channel> joined;
  for (const auto& [name, channel] : files.front()->channels)
    if (channel.kind != ChannelKind::per_rank)
      joined[name] = channel;
  std::map<std::string, bool> integers;  // for each per-rank channel
  for (const TraceContent* file : files)
    for (const auto& [name, channel] : file->channels)
      if (channel.kind == ChannelKind::per_rank)
        integers.emplace(name, std::holds_alternative<std::vector<int64_t>>(channel.values));
  for (const auto& [name, integer] : integers)
    integer ? join<int64_t>(name, files, joined) : join<double>(name, files, joined);
  return joined;
}

}  // namespace parity::trace
