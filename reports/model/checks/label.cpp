// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/model/checks/label.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "harness/base/enum_names.hpp"
#include "reports/model/text.hpp"

namespace parity::reports {
namespace {

struct Metric {
  std::string_view name;
  std::string_view label;
  std::string_view direction;  ///< of its limit
};

/// In order of importance to a reader.
constexpr std::array<Metric, 34> metrics = {{
    {"collapse_log2", "collapse (log2)", "≥ "},
    {"floors", "gap in floors", "≥ "},
    {"of_bound", "gap over bound", "≤ "},
    {"gap_ratio", "gap over sibling's", "≤ "},
    {"max_ulp", "max ULP", "≤ "},
    {"descent_error", "gap over descent", "≤ "},
    {"horizon_step", "beyond rounding from step", ""},
    {"relative_l2", "relative L2", "≤ "},
    {"relative_linf", "relative L∞", "≤ "},
    {"max_abs", "largest gap", "≤ "},
    {"gap32", "float32 gap", ""},
    {"gap64", "float64 gap", ""},
    {"cosine", "cosine", "≥ "},
    {"sqnr_db", "signal to noise (dB)", "≥ "},
    {"mean_ulp", "mean ULP", "≤ "},
    {"bias_ulp", "signed mean ULP", ""},
    {"needed_rtol", "tolerance that would pass", ""},
    {"nan", "NaN", "≤ "},
    {"inf", "inf", "≤ "},
    {"fell", "loss fell by", "≥ "},
    {"noises", "fall in noises", "≥ "},
    {"relative64", "float64 relative gap", "≤ "},
    {"roundings_a", "first arm loses (u of its dtype)", "≤ "},
    {"roundings_b", "second arm loses (u of its dtype)", "≤ "},
    {"floor", "floor", ""},
    {"ulp", "ULP", "≤ "},
    {"absolute_gap", "absolute gap", "≤ "},
    {"relative_gap", "relative gap", "≤ "},
    {"differing", "differing", "≤ "},
    {"laws_departing", "laws that depart", "≤ "},
    {"laws_holding", "laws that hold", ""},
    {"laws_not_asked", "laws not asked", ""},
    {"compared", "compared", ""},
    {"error_of_bound", "largest error over bound", ""},
}};

/// In the order of FailureKind.
constexpr std::array<const char*, EnumNames<results::FailureKind>::names.size()> failure_labels = {
    "crashed",
    "hung",
    "left no trace",
    "left an invalid trace",
    "took no fault",
    "met NaN or inf",
    "was stopped",
    "did not start",
    "has an invalid config",
    "lacks a program or file",
    "found no device",
    "lacks its virtual environment"};

const Metric* find_metric(std::string_view name) {
  const auto found = std::ranges::find(metrics, name, &Metric::name);
  return found == metrics.end() ? nullptr : &*found;
}

/// Returns whether a metric is not shown: a count of NaN or infinities that is 0.
bool is_absent(const Json& measured, const std::string& name) {
  const auto found = measured.find(name);
  return found == measured.end() || ((name == "nan" || name == "inf") && *found == 0);
}

}  // namespace

std::string failure_label(results::FailureKind kind) {
  return failure_labels.at(static_cast<size_t>(kind));
}

std::string metric_label(const std::string& metric) {
  if (const Metric* known = find_metric(metric))
    return std::string(known->label);
  std::string label = one_line(metric);
  std::ranges::replace(label, '_', ' ');
  return label;
}

std::string limit_label(const Check& check, const std::string& metric) {
  const Json& limit = check.limit.at(metric);
  if (metric == "collapse_log2" && check.relation == "distinct")
    return "< " + brief(limit);
  if (metric == "floors" && check.relation != "distinct")
    return "≤ " + brief(limit);
  const Metric* known = find_metric(metric);
  return (known ? std::string(known->direction) : "") + brief(limit);
}

std::string relation_label(const Check& check) {
  std::string inner;
  for (const auto& [name, value] : check.parameters.items())
    inner += (inner.empty() ? "" : ", ") + one_line(name) + " " + brief(value);
  return one_line(check.relation) + (inner.empty() ? "" : " (" + inner + ")");
}

std::string sides_label(const Check& check) {
  std::string sides;
  for (const std::string& arm : check.arms)
    sides += (sides.empty() ? "" : ", ") + one_line(arm);
  if (check.against == "golden")
    sides += sides.empty() ? "golden" : ", golden";
  return sides;
}

std::string claim(const Check& check) {
  std::string result = one_line(check.quantity) + " " + relation_label(check);
  if (const std::string sides = sides_label(check); !sides.empty())
    result += ": " + sides;
  return check.errors ? result : result + "; steps " + one_line(check.steps);
}

std::string place(const Place& place) {
  std::string result = place.point.empty() ? "step " + std::to_string(place.step) : one_line(place.point);
  if (!place.tensor.empty())
    result += ", " + one_line(place.tensor);
  std::string index;
  for (const int64_t each : place.index)
    index += (index.empty() ? "" : ", ") + std::to_string(each);
  if (!index.empty())
    result += "[" + index + "]";
  return result + (place.rank ? " on rank " + std::to_string(*place.rank) : "");
}

std::vector<std::string> headline_metrics(const Check& check, size_t most,
                                          const std::vector<std::string>& except) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (names.size() < most && std::ranges::find(except, name) == except.end() &&
        check.measured.contains(name) && std::ranges::find(names, name) == names.end())
      names.push_back(name);
  };
  for (const auto& [name, unused] : check.limit.items())
    add(name);
  for (const Metric& metric : metrics)
    if (!is_absent(check.measured, std::string(metric.name)))
      add(std::string(metric.name));
  for (const auto& [name, unused] : check.measured.items())
    if (!is_absent(check.measured, name))
      add(name);
  return names;
}

std::string measured_label(const Check& check, size_t most) {
  std::string result;
  for (const std::string& name :
       headline_metrics(check, most, {"max_ulp", "ulp", "relative_l2", "relative_gap", "floors"}))
    result += (result.empty() ? "" : ", ") + metric_label(name) + " " + brief(check.measured[name]);
  return result;
}

std::string limits_label(const Check& check, size_t most) {
  std::string result;
  size_t number = 0;
  for (const auto& [name, unused] : check.limit.items())
    if (number++ < most)
      result += (result.empty() ? "" : ", ") + metric_label(name) + " " + limit_label(check, name);
  if (number > most)
    result += ", " + std::to_string(number - most) + " more";
  return result.empty() ? "bits" : result;
}

std::string mesh_label(const Arm& arm) {
  if (arm.ranks <= 1)
    return "";
  const auto mesh = arm.provenance.find("mesh");
  return mesh != arm.provenance.end() && mesh->is_string() ? mesh->get<std::string>()
                                                           : count(static_cast<size_t>(arm.ranks), "rank");
}

std::string meshes_label(const Case& item) {
  std::string label;
  bool several = false;
  for (const Arm& arm : item.arms) {
    const std::string mesh = mesh_label(arm);
    several = several || !mesh.empty();
    label += (label.empty() ? "" : ", ") + arm.name + " " + (mesh.empty() ? "1 rank" : mesh);
  }
  return several ? label : "";
}

}  // namespace parity::reports
