// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/judge/given_config.hpp"

#include <filesystem>
#include <string>

#include "harness/suite/plan/identity/input_paths.hpp"

namespace parity::suite {
namespace {

/// Replaces the case's folder at the start of a path, or of each in a list, by {case_dir}.
void restore_case_dir(Json& value, const std::string& folder) {
  if (value.is_array())
    for (Json& each : value)
      restore_case_dir(each, folder);
  if (!value.is_string())
    return;
  const auto path = value.get<std::string>();
  if (path.starts_with(folder + "/"))
    value = "{case_dir}" + path.substr(folder.size());
}

}  // namespace

Json given_config(const Case& source, const PlannedArm& planned) {
  const Arm& arm = source.arm(planned.name);
  if (!arm.is_command() || arm.is_operator)
    return nullptr;
  const std::string folder = std::filesystem::absolute(source.file).parent_path().string();
  FlatConfig config = planned.config;
  for (auto& [key, value] : config)
    if (names_file(key) || names_files(key))
      restore_case_dir(value, folder);
  return nest(config);
}

}  // namespace parity::suite
