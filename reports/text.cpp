// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace parity::reports {
namespace {

struct Metric {
  std::string_view name;
  std::string_view label;
  std::string_view direction;  ///< of its limit
};

/// In the order a reader wants them.
constexpr std::array<Metric, 29> metrics = {{
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
}};

const Metric* find_metric(std::string_view name) {
  const auto found = std::ranges::find(metrics, name, &Metric::name);
  return found == metrics.end() ? nullptr : &*found;
}

bool continues(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

/// A count of NaN or infinities that found none is not worth a word.
bool is_absent(const Json& measured, const std::string& name) {
  const auto found = measured.find(name);
  return found == measured.end() || ((name == "nan" || name == "inf") && *found == 0);
}

}  // namespace

std::string one_line(std::string_view text) {
  if (std::ranges::all_of(text, [](char byte) { return byte >= ' ' && byte <= '~'; }))
    return std::string(text);
  std::string result = visible(text);
  std::ranges::replace_if(result, [](char byte) { return byte == '\n' || byte == '\t'; }, ' ');
  return result;
}

size_t width_of(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(text, [](char byte) { return !continues(byte); }));
}

std::string shorten(std::string_view text, size_t width) {
  std::string line = one_line(text);
  const size_t length = width_of(line);
  if (length <= width || width < 5)
    return line;
  const size_t tail = (width - 3) / 2;
  const size_t head = width - 3 - tail;
  std::string result;
  size_t position = 0;
  bool dots = false;
  for (const char byte : line) {
    position += continues(byte) ? 0 : 1;
    const bool keep = position <= head || position > length - tail;
    if (keep)
      result += byte;
    else if (!dots)
      result += "...";
    dots = dots || !keep;
  }
  return result;
}

std::string exact(const Json& scalar) {
  if (scalar.is_number_float())
    return fmt::format("{}", scalar.get<double>());
  if (scalar.is_string())
    return one_line(scalar.get<std::string>());
  return scalar.is_null() ? "none" : json_text(scalar);
}

std::string brief(double number) {
  const double beyond = number - 1;
  if (beyond != 0 && std::abs(beyond) < 1e-4)  // a cosine of 0.9999999 is not 1
    return fmt::format("1 {} {:.2g}", beyond < 0 ? "-" : "+", std::abs(beyond));
  return fmt::format("{:.4g}", number);
}

std::string brief(const Json& scalar) {
  constexpr double most_counted = 1e7;  // nobody reads 2459565876494607 ULP
  const bool large = scalar.is_number_integer() && std::abs(scalar.get<double>()) >= most_counted;
  return scalar.is_number_float() || large ? brief(scalar.get<double>()) : exact(scalar);
}

std::string duration(double seconds) {
  if (seconds < 1)
    return fmt::format("{:.0f} ms", seconds * 1000);
  if (seconds < 60)
    return fmt::format("{:.1f} s", seconds);
  if (!(seconds < 1e9))
    return fmt::format("{:g} s", seconds);
  const auto whole = static_cast<int64_t>(std::lround(seconds));
  return fmt::format("{} min {} s", whole / 60, whole % 60);
}

std::string count(size_t number, const std::string& noun, const std::string& plural) {
  return std::to_string(number) + " " + (number == 1 ? noun : plural.empty() ? noun + "s" : plural);
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
  return result + "; steps " + one_line(check.steps);
}

std::string place(const Worst& worst) {
  std::string result = "step " + std::to_string(worst.step);
  if (!worst.tensor.empty())
    result += ", " + one_line(worst.tensor);
  if (worst.index.empty())
    return result;
  result += "[";
  for (size_t i = 0; i < worst.index.size(); ++i)
    result += (i == 0 ? "" : ", ") + std::to_string(worst.index[i]);
  return result + "]";
}

bool has_limit(const Check& check, const Worst& worst) {
  return !worst.limit.is_null() && (check.limit.empty() || check.limit.contains(worst.metric));
}

std::vector<std::string> headline_metrics(const Check& check, size_t most) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (names.size() < most && check.measured.contains(name) && std::ranges::find(names, name) == names.end())
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
  for (const std::string& name : headline_metrics(check, most))
    result += (result.empty() ? "" : ", ") + metric_label(name) + " " + brief(check.measured[name]);
  return result;
}

std::string limits_label(const Check& check) {
  std::string result;
  for (const auto& [name, unused] : check.limit.items())
    result += (result.empty() ? "" : ", ") + metric_label(name) + " " + limit_label(check, name);
  return result.empty() ? "bits" : result;
}

namespace {

/// Of the cases that were judged.
std::string outcome_of_cases(const Results& results) {
  const size_t failed = results.cases_failed();
  const size_t skipped = results.cases_skipped();
  const size_t judged = results.cases.size() - skipped;
  const std::string aside =
      skipped == 0 ? "" : ", " + std::to_string(skipped) + (skipped == 1 ? " is skipped" : " are skipped");
  if (judged == 0)
    return "No case was judged" + aside;
  if (failed == 0)
    return (judged == 1 ? "The case holds" : "All " + std::to_string(judged) + " cases hold") + aside;
  return std::to_string(failed) + " of " + count(judged, "case") + (failed == 1 ? " fails" : " fail") + aside;
}

}  // namespace

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

std::string mixed_label(const Results& results) {
  constexpr size_t longest = 200;
  std::string label;
  for (const std::string& difference : results.mixed)
    label += (label.empty() ? "Mixed results, merged of different origins (" : "; ") +
             shorten(difference, longest);
  return label.empty() ? "" : label + ")";
}

std::string outcome(const Results& results) {
  const std::string mixed = mixed_label(results);
  std::string judged = (mixed.empty() ? "" : mixed + ". ") + outcome_of_cases(results);
  std::string missing;
  for (const int64_t shard : results.missing_shards)
    missing += (missing.empty() ? "" : ", ") + std::to_string(shard);
  if (!missing.empty())
    return "Not the whole suite: shard" + std::string(results.missing_shards.size() == 1 ? " " : "s ") +
           missing + (results.missing_shards.size() == 1 ? " is" : " are") + " missing. " + judged;
  if (results.interrupted)
    return "Interrupted: " + count(results.unfinished.size(), "case") +
           (results.unfinished.size() == 1 ? " was" : " were") + " not judged" +
           (results.cases.empty() ? "" : ". " + judged);
  return judged;
}

std::string golden_size_label(const Results& results) {
  if (results.golden_files <= 0)
    return "";
  constexpr double mebibyte = 1 << 20;
  return fmt::format("{} {:.1f} MiB of the {:.4g} MiB they may take",
                     results.golden_files == 1 ? "1 golden file takes"
                                               : std::to_string(results.golden_files) + " golden files take",
                     results.golden_bytes / mebibyte, results.golden_limit / mebibyte);
}

}  // namespace parity::reports
