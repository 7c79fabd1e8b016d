// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/cases/run_config_file.hpp"

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/suite/cases/flat_config.hpp"
#include "harness/suite/cases/read/toml_depth.hpp"
#include "harness/suite/cases/read/toml_table.hpp"

namespace parity::suite {
namespace {

constexpr uint64_t largest_config = 1 << 20;

toml::table parsed(const std::string& file, const std::string& text) {
  if (most_key_parts(text) > longest_dotted_key)
    throw UserError(
        fmt::format("{}: a dotted key has more than {} parts (no config key is that long); shorten it", file,
                    longest_dotted_key));
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    const Place place{file, error.source().begin.line, error.source().begin.column};
    throw UserError(fmt::format("{}: not TOML ({})", place.text(), error.description()));
  }
}

Overrides json_config(const std::string& file, const std::string& text) {
  const Json json = read_json(text);
  if (!json.is_object())
    throw UserError(fmt::format(
        "cannot read run config {} (not a JSON object); give the config.json of a run folder", file));
  Overrides config;
  for (const auto& [key, value] : flatten(json))
    config[key] = {value, Place{file, 0, 0}};
  return config;
}

}  // namespace

std::optional<Overrides> read_run_config(const std::filesystem::path& file) {
  const std::string text = read_file(file, largest_config);
  if (file.extension() == ".json")
    return json_config(file.string(), text);
  const toml::table table = parsed(file.string(), text);
  if (table.contains("arms"))
    return std::nullopt;
  return flatten(TomlTable(table, file.string(), "run config"));
}

}  // namespace parity::suite
