// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/twins/path.hpp"

#include <fmt/format.h>

#include "harness/compare/curves/series.hpp"
#include "harness/compare/curves/series_difference.hpp"

namespace parity::compare {
namespace {

std::optional<std::string> channels_part(const Side& a, const Side& b) {
  for (const auto& [name, channel] : a.trace->channels()) {
    const auto other = b.trace->channels().find(name);
    if (channel.kind != trace::ChannelKind::numeric || other == b.trace->channels().end() ||
        other->second.kind != trace::ChannelKind::numeric)
      continue;
    const Series left = series_of(channel, a.trace->steps(), b.trace->steps());
    const Series right = series_of(other->second, b.trace->steps(), left.steps);
    if (left.size() != right.size())
      continue;
    const SeriesDifference difference = measure_series(left, right);
    if (difference.identical() || !difference.first)
      continue;
    const size_t i = *difference.first;
    return fmt::format("{} is {} in {} and {} in {} at step {}", name,
                       left.text(i, difference.float32_valued), a.name,
                       right.text(i, difference.float32_valued), b.name, left.steps[i]);
  }
  return std::nullopt;
}

std::optional<std::string> tensors_part(const Side& a, const Side& b) {
  for (const trace::SketchRow& row : a.trace->sketches()) {
    const trace::SketchRow* other = b.trace->find_sketch(row.key);
    if (other && other->digest != row.digest)
      return fmt::format("{} {} of {} and {} have other bits at step {}", name_of(row.key.phase),
                         row.key.name, a.name, b.name, row.key.step);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> find_other_path(const Side& a, const Side& b) {
  if (auto evidence = channels_part(a, b))
    return evidence;
  return tensors_part(a, b);
}

}  // namespace parity::compare
