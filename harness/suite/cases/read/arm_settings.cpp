// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/cases/read/arm_settings.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/suite/cases/rank_variables.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view variable_prefix = "environment.";
constexpr std::string_view program_key = "program";

bool is_launch_key(const std::string& key) {
  return std::ranges::find(launch_keys(), key) != launch_keys().end();
}

std::string text_of_value(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

FlatConfig with_surroundings(FlatConfig config, const Arm& arm) {
  for (const auto& [name, value] : arm.environment)
    config[std::string(variable_prefix) + name] = value;
  if (!arm.program.empty())
    config[std::string(program_key)] = arm.program.string();
  for (const std::string& key : launch_keys())
    if (const Json value = launch_value(arm.launch, key); !value.is_null())
      config[key] = value;
  return config;
}

void set_key(Arm& arm, const std::string& key, const PlacedValue& value) {
  if (key.starts_with(variable_prefix)) {
    const std::string name = key.substr(variable_prefix.size());
    check_variable(name, text_of_value(value.value));
    arm.environment[name] = text_of_value(value.value);
  } else if (key == program_key && !arm.is_command()) {
    const fs::path program = fs::absolute(text_of_value(value.value)).lexically_normal();
    std::error_code error;
    if (!fs::is_regular_file(program, error))
      throw UserError("no program at " + escape_to_line(program.string()) +
                      "; build it, or correct the path");
    arm.program = program;
  } else if (is_launch_key(key) && !arm.is_operator) {
    set_launch_key(arm.launch, key, value.value);
  } else {
    arm.config[key] = value;
  }
}

void erase_key(Arm& arm, const std::string& key) {
  if (key.starts_with(variable_prefix))
    arm.environment.erase(key.substr(variable_prefix.size()));
  else if (key == program_key && !arm.is_command())
    arm.program.clear();
  else if (is_launch_key(key) && !arm.is_operator)
    reset_launch_key(arm.launch, key);
  else
    arm.config.erase(key);
}

void check_variable(const std::string& name, const std::string& value) {
  if (name.empty() || name.find('=') != std::string::npos || name.find('\0') != std::string::npos)
    throw UserError(parity::quoted(name) + " cannot be the name of a variable");
  if (value.find('\0') != std::string::npos)
    throw UserError("the variable " + escape_to_line(name) + " holds a NUL byte, which no variable can");
  if (name.starts_with("PARITY_") || is_rank_variable(name))
    throw UserError("cannot set " + escape_to_line(name) + " (parity sets it for every run); leave it out");
}

}  // namespace parity::suite
