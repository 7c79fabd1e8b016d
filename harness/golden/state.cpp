// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/golden/state.hpp"

#include <algorithm>

#include "harness/base/error.hpp"
#include "harness/golden/golden_file.hpp"
#include "harness/trace/hdf5/hdf5.hpp"
#include "harness/trace/hdf5/input_file.hpp"

namespace parity::golden {
namespace fs = std::filesystem;
namespace {

/// Returns whether a file is a golden of a version that this program does not read.
bool is_of_other_schema(const fs::path& file) {
  const auto guard = hdf5::lock();
  try {
    const trace::InputFile input(file, trace::Links::refused);
    const std::string schema = hdf5::read_string_attribute(input.root(), "schema").value_or("");
    return schema.starts_with("parity.golden/") && !schema.starts_with(golden_schema_major);
  } catch (const UserError&) {
    return false;
  }
}

std::vector<std::string> arm_names_of(const Golden& golden) {
  std::vector<std::string> names;
  for (const auto& [name, arm] : golden.arms)
    names.push_back(name);
  return names;
}

GoldenFinding state_of_arms(const std::vector<std::string>& stored, const fs::path& file,
                            const std::vector<std::string>& arms) {
  const auto among = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const std::string& name : stored)
    if (!among(arms, name))
      return {GoldenState::unused, file.string() + " holds arm '" + name + "', which the case does not keep"};
  for (const std::string& name : arms)
    if (!among(stored, name))
      return {GoldenState::incomplete, file.string() + " has no arm '" + name + "'"};
  return {GoldenState::stored, ""};
}

}  // namespace

GoldenFinding golden_state(const fs::path& file, const std::vector<std::string>& arms) {
  std::error_code error;
  if (!fs::exists(file, error))
    return arms.empty() ? GoldenFinding{}
                        : GoldenFinding{GoldenState::missing, "there is no golden " + file.string()};
  if (arms.empty() && holds_floors_alone(file))
    return {GoldenState::stored, ""};
  if (arms.empty()) {
    const StoredGolden stored = stored_golden(file);
    if (stored.damaged)
      return {GoldenState::corrupt, stored.problem};
    return {GoldenState::unused, file.string() + " belongs to a case that keeps no golden"};
  }
  try {
    if (const auto stored = arms_under_seal(file))
      return state_of_arms(*stored, file, arms);
    const Golden golden = read_golden(file);
    return golden.intact() ? state_of_arms(arm_names_of(golden), file, arms)
                           : GoldenFinding{GoldenState::corrupt, damage_text(golden, file)};
  } catch (const UserError& problem) {
    return {is_of_other_schema(file) ? GoldenState::other_schema : GoldenState::corrupt, problem.what()};
  }
}

}  // namespace parity::golden
