// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/cases/config_schema.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/json/fields.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/base/text/nearest.hpp"
#include "harness/suite/cases/launch.hpp"

namespace parity::suite {
namespace {

constexpr int64_t most_counted_ranks = 4096;

bool has_type(const Json& value, const std::string& type) {
  if (type == "integer")
    return value.is_number_integer();
  if (type == "number")
    return value.is_number();
  if (type == "boolean")
    return value.is_boolean();
  if (type == "strings")
    return value.is_array() &&
           std::all_of(value.begin(), value.end(), [](const Json& v) { return v.is_string(); });
  if (type == "integers")
    return value.is_array() &&
           std::all_of(value.begin(), value.end(), [](const Json& v) { return v.is_number_integer(); });
  if (type == "numbers")
    return value.is_array() &&
           std::all_of(value.begin(), value.end(), [](const Json& v) { return v.is_number(); });
  return type == "string" && value.is_string();
}

std::string describe_type(const std::string& type) {
  if (type == "strings" || type == "numbers" || type == "integers")
    return "a list of " + type;
  return (type == "integer" ? "an " : "a ") + type;
}

std::string bare(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

void check_value(const std::string& key, const Json& value, const std::vector<Json>& values) {
  if (value.is_array()) {
    for (const Json& element : value)
      check_value(key, element, values);
    return;
  }
  if (values.empty() || std::find(values.begin(), values.end(), value) != values.end())
    return;
  std::vector<std::string> known;
  for (const Json& choice : values)
    known.push_back(bare(choice));
  throw UserError(fmt::format("{} cannot be {}{}", parity::quoted(key), parity::quoted(bare(value)),
                              suggestion(bare(value), known)));
}

}  // namespace

ConfigSchema ConfigSchema::load(const std::filesystem::path& file) {
  const std::filesystem::path trainer =
      std::filesystem::path(file).replace_extension("").replace_extension("");
  if (!std::filesystem::exists(file) && !std::filesystem::exists(trainer))
    throw UserError(
        fmt::format(
            "cannot find the trainer {} (no such file); build parity-train, or name one with --trainer",
            trainer.string()),
        ExitCode::missing);
  if (!std::filesystem::exists(file))
    throw UserError(
        fmt::format(
            "cannot find the config schema {} (no such file; it is built together with parity-train); "
            "build parity-train, or name one with --trainer",
            file.string()),
        ExitCode::missing);
  const Json json = read_json(read_file(file));
  if (!json.is_object() || text_or(json, "schema") != "parity.config/1" || !json.contains("keys"))
    throw UserError(
        fmt::format("cannot read the config schema {} (expected parity.config/1); build parity-train again",
                    file.string()));
  try {
    return from_json(json);
  } catch (const Json::exception& error) {
    throw UserError(fmt::format("cannot read the config schema {} ({}); build parity-train again",
                                file.string(), error.what()));
  }
}

ConfigSchema ConfigSchema::from_json(const Json& json) {
  ConfigSchema schema;
  for (const auto& [name, entry] : json.at("keys").items()) {
    Key& key = schema.keys_[name];
    key.type = entry.at("type").get<std::string>();
    key.doc = entry.value("doc", "");
    key.default_value = entry.at("default");
    key.values = entry.value("values", std::vector<Json>());
    key.numeric = entry.value("numeric", true);
    if (key.type == "number" && key.default_value.is_number())
      key.default_value = key.default_value.get<double>();
  }
  schema.channels_ = json.value("channels", std::vector<std::string>());
  schema.mesh_ = json.value("mesh", std::vector<std::string>());
  schema.ranks_beside_mesh_ = json.value("ranks_beside_mesh", std::vector<std::string>());
  return schema;
}

Json ConfigSchema::checked(const std::string& key, const Json& value) const {
  const auto found = keys_.find(key);
  if (found == keys_.end()) {
    std::vector<std::string> known;
    for (const auto& entry : keys_)
      known.push_back(entry.first);
    const std::string of_arm = nearest(key, known).empty() ? nearest(key, launch_keys()) : "";
    throw UserError(fmt::format("unknown config key {}{}{}", parity::quoted(key),
                                of_arm.empty() ? "" : " (did you mean '" + of_arm + "' of an arm?)",
                                suggestion(key, known)));
  }
  const Key& expected = found->second;
  if (!has_type(value, expected.type))
    throw UserError(fmt::format("{} must be {}, not {}", parity::quoted(key), describe_type(expected.type),
                                escape_to_line(value.dump())));
  check_value(key, value, expected.values);
  return expected.type == "number" ? Json(value.get<double>()) : value;
}

int64_t ConfigSchema::ranks(const FlatConfig& config) const {
  int64_t product = 1;
  for (const std::string& key : mesh_)
    if (const auto found = config.find(key); found != config.end() && found->second.is_number_integer())
      product *= std::clamp<int64_t>(found->second.get<int64_t>(), 1, most_counted_ranks);
  int64_t sum = std::min(product, most_counted_ranks);
  for (const std::string& key : ranks_beside_mesh_)
    if (const auto found = config.find(key); found != config.end() && found->second.is_number_integer())
      sum += std::clamp<int64_t>(found->second.get<int64_t>(), 0, most_counted_ranks);
  return std::min(sum, most_counted_ranks);
}

FlatConfig ConfigSchema::complete(const FlatConfig& config) const {
  FlatConfig full;
  for (const auto& [name, key] : keys_)
    full[name] = key.default_value;
  for (const auto& [name, value] : config)
    full[name] = checked(name, value);
  return full;
}

}  // namespace parity::suite
