// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/goldens/stored_power.hpp"

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/json/fields.hpp"
#include "harness/suite/plan/identity/content_hash.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

constexpr uint64_t largest_power = 16 << 20;

/// Returns a measurement of this case; null if there is none or it cannot be read.
Json measurement(const fs::path& file, const Case& source) {
  std::error_code error;
  if (!fs::is_regular_file(file, error))
    return nullptr;
  try {
    Json power = read_json(read_file(file, largest_power));
    const bool is_one = text_or(power, "schema") == "parity.power/1" &&
                        text_or(power, "case") == source.name && !text_or(power, "sentence").empty();
    return is_one ? power : Json();
  } catch (const UserError&) {
    return nullptr;
  }
}

}  // namespace

fs::path power_file(const Case& source, const fs::path& out) {
  return out / "power" / (source.name + ".json");
}

fs::path recorded_power_file(const Case& source) {
  fs::path file = source.golden_file;
  return file.replace_extension(".power.json");
}

std::string case_digest(const Case& source) {
  return content_hash(read_file(source.file));
}

bool recorded_power_is_stale(const Case& source) {
  const Json power = measurement(recorded_power_file(source), source);
  return !power.is_null() && text_or(power, "case_digest") != case_digest(source);
}

std::optional<results::PowerSummary> stored_power(const Case& source, const fs::path& out) {
  if (!source.settings.empty())
    return std::nullopt;
  Json power = measurement(power_file(source, out), source);
  if (power.is_null())
    power = measurement(recorded_power_file(source), source);
  if (power.is_null())
    return std::nullopt;
  std::string sentence = text_or(power, "sentence");
  if (text_or(power, "case_digest") != case_digest(source))
    sentence += " (measured before the case changed; run: parity power " + source.name + " --record)";
  return results::PowerSummary{sentence, text_or(power, "arm"), power.value("clean", Json()) == true};
}

}  // namespace parity::suite
