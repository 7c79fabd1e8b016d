// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/judge/case_floors.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "harness/base/files/file.hpp"
#include "harness/base/json/fields.hpp"
#include "harness/base/processes/process.hpp"
#include "harness/golden/environment.hpp"

namespace parity::suite {
namespace {

/// Returns the difference between two configs in their common keys, in words.
std::string change_of(const Json& measured, const Json& now) {
  Json before = measured.flatten(), after = now.flatten();
  Json shared_before = Json::object(), shared_after = Json::object();
  for (const auto& [key, value] : before.items())
    if (after.contains(key)) {
      shared_before[key] = value;
      shared_after[key] = after.at(key);
    }
  return golden::json_difference_text(shared_before, shared_after, "there", "here");
}

}  // namespace

void attach_floors(std::map<std::string, compare::ArmEvidence>& arms, const Case& source,
                   const golden::StoredGolden& golden) {
  const std::string command = shell_quote({"parity", "calibrate", path_from_here(source.file)});
  for (auto& [name, evidence] : arms) {
    const Arm& arm = source.arm(name);
    evidence.floors = nullptr;
    evidence.floors_problem = "measure it with: " + command;
    if (golden.damaged)
      evidence.floors_problem = golden.problem;
    if (!golden.golden)
      continue;
    const auto found = golden.golden->floors.arms.find(arm.asked_as());
    if (found == golden.golden->floors.arms.end())
      continue;
    const std::string change = evidence.trace && arm.stands_for.empty()
                                   ? change_of(found->second.config, evidence.trace->config())
                                   : "";
    if (change.empty())
      evidence.floors = &found->second;
    else
      evidence.floors_problem =
          fmt::format("it was measured with another config: {}; measure it again with: {}", change, command);
  }
}

std::optional<results::Calibration> calibration_of(const compare::Floors& floors) {
  if (floors.empty())
    return std::nullopt;
  const auto repeats = integer_or(floors.evidence, "repeats", 1);
  std::map<std::string, int64_t> runs;  // by arm
  std::vector<std::string> kinds;
  for (size_t kind = 0; kind < floors.kinds.size(); ++kind) {
    const std::string& name = floors.kinds[kind];
    bool any = false;
    for (const auto& [arm, measured] : floors.arms)
      if (std::any_of(measured.rows.begin(), measured.rows.end(),
                      [&](const compare::FloorRow& row) { return !std::isnan(row.noise.at(kind)); })) {
        runs[arm] += name == name_of(compare::NoiseKind::perturbed) ? repeats : 1;
        any = true;
      }
    if (any)
      kinds.push_back(name);
  }
  int64_t most = 0;
  for (const auto& [arm, count] : runs)
    most = std::max(most, count);
  return results::Calibration{text_or(floors.evidence, "command"), most, kinds};
}

}  // namespace parity::suite
