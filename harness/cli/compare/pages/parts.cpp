// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/compare/pages/parts.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/compare/text/wording.hpp"
#include "harness/measure/tensor/content_hash.hpp"

namespace parity::cli {
namespace {

std::vector<int64_t> union_of_steps(const std::vector<OverlayPart>& parts) {
  std::vector<int64_t> steps;
  for (const OverlayPart& part : parts) {
    std::vector<int64_t> both;
    std::ranges::set_union(steps, part.expected.steps, std::back_inserter(both));
    steps = std::move(both);
  }
  return steps;
}

}  // namespace

reports::OverlayCurve overlay(const std::string& channel, const std::string& first,
                              const std::vector<OverlayPart>& parts,
                              const std::function<reports::Value(int64_t step)>& floor) {
  reports::Curve curve;
  curve.channel = channel;
  curve.steps = union_of_steps(parts);
  const size_t count = curve.steps.size();
  reports::Series reference{first, std::vector<reports::Value>(count)};
  std::vector<reports::Series> others;
  for (const OverlayPart& part : parts) {
    reports::Series values{part.label, std::vector<reports::Value>(count)};
    reports::Series gap{part.label, std::vector<reports::Value>(count)};
    size_t place = 0;
    for (size_t i = 0; i < part.expected.size(); ++i) {
      while (curve.steps[place] != part.expected.steps[i])
        ++place;
      reference.values[place] = part.expected.widened(i);
      values.values[place] = part.actual.widened(i);
      gap.values[place] = compare::gap_between(part.expected, i, part.actual, i);
    }
    others.push_back(std::move(values));
    curve.gap.push_back(std::move(gap));
  }
  curve.series.push_back(std::move(reference));
  std::ranges::move(others, std::back_inserter(curve.series));
  if (floor)
    for (const int64_t step : curve.steps)
      curve.floor.push_back(floor(step));
  return reports::overlay_curve(std::move(curve));
}

std::vector<std::pair<std::string, std::string>> facts_of_file(
    const std::string& name, const std::string& kind,
    const std::vector<std::pair<std::string, std::string>>& contents, const std::filesystem::path& file) {
  std::vector<std::pair<std::string, std::string>> facts = {{"name", name}, {"kind", kind}};
  facts.insert(facts.end(), contents.begin(), contents.end());
  std::error_code error;
  const bool readable = std::filesystem::is_regular_file(file, error);
  facts.emplace_back("size",
                     readable ? compare::count_text(std::filesystem::file_size(file), "byte") : "not known");
  facts.emplace_back("XXH3-128", readable ? measure::ContentHash::of_file(file) : "not known");
  return facts;
}

std::string cut_note(size_t count, const std::string& what) {
  return count > most_page_rows ? fmt::format("{} more {} are not shown.", count - most_page_rows, what) : "";
}

}  // namespace parity::cli
