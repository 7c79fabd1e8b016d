// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/sides/finite.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "harness/measure/tensor/statistics.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity::compare {
namespace {

std::string in_channels(const CoveredSide& covered, const trace::Trace& trace) {
  for (const auto& [quantity, steps] : covered.compared) {
    const std::string name(channel_of_quantity(quantity));
    const auto channel = trace.channels().find(name);
    if (channel == trace.channels().end())
      continue;  // of another side
    const auto* values = std::get_if<std::vector<double>>(&channel->second.values);
    for (size_t i = 0; values && i < values->size(); ++i)
      if (!std::isfinite((*values)[i]) && steps.contains(trace.steps().at(i)))
        return fmt::format("{} of {} is {} at step {}", name, covered.name, (*values)[i], trace.steps()[i]);
  }
  return "";
}

std::string in_tensor(const CoveredSide& covered, const trace::TensorKey& key, int64_t nan, int64_t inf) {
  return nan + inf == 0 ? ""
                        : fmt::format("{} of {} has {} NaN and {} infinite elements at step {}",
                                      quantity_of(key), covered.name, nan, inf, key.step);
}

std::string in_tensors(const CoveredSide& covered, const trace::Trace& trace) {
  const auto is_compared = [&](const trace::TensorKey& key) {
    const auto found = covered.compared.find(quantity_of(key));
    return found != covered.compared.end() && found->second.contains(key.step);
  };
  for (const trace::SketchRow& row : trace.sketches())
    if (row.nan_count + row.inf_count > 0 && is_compared(row.key))
      return in_tensor(covered, row.key, row.nan_count, row.inf_count);
  for (const trace::TensorKey& key : trace.tensors())
    if (!trace.find_sketch(key) && is_compared(key)) {
      const measure::Statistics found = measure::statistics_of(trace.tensor(key));
      if (std::string text = in_tensor(covered, key, found.nan_count, found.inf_count); !text.empty())
        return text;
    }
  return "";
}

}  // namespace

std::string non_finite_value(const Coverage& coverage, const std::vector<Side>& sides) {
  for (const CoveredSide& covered : coverage.sides) {
    const auto side = std::ranges::find(sides, covered.name, &Side::name);
    if (side == sides.end())
      continue;  // of a golden, which holds only finite values
    std::string text = coverage.kind == CoveredKind::tensors ? in_tensors(covered, *side->trace)
                                                             : in_channels(covered, *side->trace);
    if (!text.empty())
      return text;
  }
  return "";
}

}  // namespace parity::compare
