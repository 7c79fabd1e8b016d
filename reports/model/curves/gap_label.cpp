// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/model/curves/gap_label.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "reports/model/text.hpp"

namespace parity::reports {
namespace {

constexpr size_t most_gap_labels = 4;  // with more arms only the widest gap is shown

/// Returns the largest gap. NaN counts as larger than any number.
double largest_gap(const Series& gap) {
  double largest = 0;
  for (const Value& value : gap.values)
    if (value)
      largest = std::isnan(*value) ? std::numeric_limits<double>::infinity() : std::max(largest, *value);
  return largest;
}

/// Returns "at most 0.15 of its bound, at step 3".
std::string use_label(const Curve& curve, const Bound& bound) {
  double most = 0;
  size_t at = 0;
  bool any = false;
  for (size_t i = 0; i < bound.gap.size(); ++i) {
    if (!bound.gap[i] || !bound.limit[i])
      continue;
    const double gap = *bound.gap[i], limit = *bound.limit[i];
    const double use = gap == 0 ? 0 : gap / limit;  // beyond a bound of 0: infinite
    if (!any || !(use <= most)) {
      most = use;
      at = i;
    }
    any = true;
    if (std::isnan(use))
      break;
  }
  if (!any)
    return "no step has a bound";
  if (most == 0)
    return "identical, where " + one_line(bound.words) + " would be allowed";
  return fmt::format("at most {:.2g} of its bound, at step {}", most, curve.steps[at]);
}

/// Returns gap_label() of each arm's gap to the reference.
std::vector<std::string> labels_to_reference(const Curve& curve) {
  std::vector<std::string> labels;
  for (const Series& gap : curve.gap)
    labels.push_back(gap_label(curve, gap));
  if (labels.size() < 2)
    return labels;
  if (std::ranges::count(labels, labels.front()) == std::ssize(labels))
    return {"all arms: " + labels.front()};
  if (labels.size() > most_gap_labels) {
    const auto widest = std::ranges::max_element(curve.gap, {}, largest_gap);
    return {"widest of " + count(labels.size(), "arm") + ": " + one_line(widest->arm) + ", " +
            labels[static_cast<size_t>(widest - curve.gap.begin())]};
  }
  for (size_t i = 0; i < labels.size(); ++i)
    labels[i] = one_line(curve.gap[i].arm) + ": " + labels[i];
  return labels;
}

bool has_values(const Curve& curve, const std::string& arm) {
  return std::ranges::any_of(curve.series, [&](const Series& series) {
    return series.arm == arm &&
           std::ranges::any_of(series.values, [](const Value& value) { return value.has_value(); });
  });
}

}  // namespace

std::string gap_label(const Curve& curve, const Series& gap) {
  double largest = 0;
  size_t at = 0, zeros = 0, known = 0;
  bool nan = false;
  for (size_t i = 0; i < gap.values.size(); ++i) {
    if (!gap.values[i])
      continue;
    ++known;
    const double value = *gap.values[i];
    zeros += value == 0 ? 1 : 0;
    const bool first_nan = std::isnan(value) && !nan;
    if (first_nan || (!nan && value > largest)) {
      largest = value;
      at = i;
      nan = first_nan;
    }
  }
  if (known == 0)
    return has_values(curve, gap.arm) ? "no step in common with the reference" : "no values";
  if (zeros == known)
    return "identical at " + (known == 1 ? "its only step" : "all " + std::to_string(known) + " steps");
  const std::string where = " at step " + std::to_string(curve.steps[at]);
  std::string result = nan ? "not a number" + where : "largest gap " + brief(largest) + where;
  if (zeros > 0)
    result += "; identical at " + std::to_string(zeros) + " of " + count(known, "step");
  for (const Bound& bound : curve.bounds)
    if (bound.to_reference && bound.arms.back() == gap.arm)
      result += "; " + use_label(curve, bound);
  return result;
}

std::vector<std::string> gap_labels(const Curve& curve) {
  std::vector<std::string> labels = labels_to_reference(curve);
  for (const Bound& bound : curve.bounds)
    if (!bound.to_reference)
      labels.push_back(one_line(pair_label(bound)) + ": " + use_label(curve, bound));
  return labels;
}

std::string pair_label(const Bound& bound) {
  return bound.golden ? bound.arms.back() + " to its golden"
                      : bound.arms.back() + " to " + bound.arms.front();
}

std::string calibration_label(const Case& item) {
  const bool drawn =
      std::ranges::any_of(item.checks, [](const Check& check) { return !check.bounds.empty(); });
  if (!drawn || !item.calibration || item.calibration->command.empty())
    return "";
  return fmt::format("Floors and bounds come from {} of each arm in other ways to the same numbers ({}): {}",
                     count(static_cast<size_t>(std::max<int64_t>(item.calibration->runs, 0)), "run"),
                     one_line(fmt::format("{}", fmt::join(item.calibration->kinds, ", "))),
                     one_line(item.calibration->command));
}

}  // namespace parity::reports
