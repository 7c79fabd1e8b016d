// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/model/checks/finding_rows.hpp"

#include <fmt/format.h>

#include "harness/base/json/number.hpp"
#include "reports/model/checks/label.hpp"
#include "reports/model/text.hpp"

namespace parity::reports {
namespace {

constexpr double most_ulps_shown = 1e7;  ///< beyond it the relative gap says more

/// Returns the name of the metric that a check's relative distance is, in the order of distance_of().
std::string relative_label(const Check& check) {
  for (const char* metric : {"relative_l2", "relative_gap", "relative_linf"})
    if (check.measured.is_object() && check.measured.contains(metric) && !check.measured.at(metric).is_null())
      return metric_label(metric);
  return "relative gap";
}

}  // namespace

std::string distance_label(const Check& check) {
  const results::Distance& distance = check.finding.distance;
  std::string label;
  const auto add = [&](const std::string& text) { label += (label.empty() ? "" : ", ") + text; };
  if (distance.ulp && *distance.ulp >= 0 && *distance.ulp < most_ulps_shown)
    add(fmt::format("{:.0f} ULP", *distance.ulp));
  if (distance.relative)
    add(relative_label(check) + " " + brief(json_number(*distance.relative)));
  if (distance.floors)
    add(brief(json_number(*distance.floors)) + " floors");
  return label;
}

std::vector<FindingRow> finding_rows(const Check& check) {
  const results::Finding& finding = check.finding;
  std::vector<FindingRow> rows;
  const auto add = [&](const char* label, const std::string& value, bool is_number) {
    if (!value.empty())
      rows.push_back({label, value, is_number});
  };
  add("where", finding.where ? place(*finding.where) : "", true);
  if (finding.where && finding.has_values()) {
    add("expected", exact(finding.expected), true);
    add("actual", exact(finding.actual), true);
  }
  add("distance", distance_label(check), false);
  add("limit", limits_label(check), false);
  add("looks like", one_line(finding.looks_like), false);
  for (const std::string& each : finding.more)
    add("also", one_line(each), false);
  return rows;
}

}  // namespace parity::reports
