// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/traces/curve_json.hpp"

#include <algorithm>

#include "harness/compare/text/wording.hpp"

namespace parity::bisect {
namespace {

Json values_at(const std::vector<int64_t>& steps, const ChannelSide& side, const trace::Channel& channel) {
  const std::vector<double> values = channel.as_double();
  Json all = Json::array();
  for (const int64_t step : steps) {
    const auto place = std::ranges::lower_bound(side.steps, step);
    const bool is_there = place != side.steps.end() && *place == step;
    all.push_back(is_there ? json_number(values.at(static_cast<size_t>(place - side.steps.begin())))
                           : Json());
  }
  return all;
}

}  // namespace

Json curve_json(const ChannelSide& expected, const ChannelSide& actual) {
  std::vector<int64_t> steps;
  std::ranges::set_union(expected.steps, actual.steps, std::back_inserter(steps));
  Json curves = {{"steps", steps}};
  for (const char* name : {"loss", "grad_norm"})
    if (expected.channels.contains(name) && actual.channels.contains(name))
      curves[name] = {{"expected", values_at(steps, expected, expected.channels.at(name))},
                      {"actual", values_at(steps, actual, actual.channels.at(name))}};
  return curves;
}

}  // namespace parity::bisect
