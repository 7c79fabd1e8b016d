// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/results/last_results.hpp"

#include <algorithm>
#include <vector>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/json/fields.hpp"
#include "harness/base/text/nearest.hpp"
#include "harness/suite/plan/content_hash.hpp"

namespace parity {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view twin_suffix = ":float64";

fs::path file_of(const std::string& case_name, const fs::path& out) {
  return out / "cases" / (case_name + ".json");
}

std::string seal_of(const Json& results) {
  return content_hash(json_text(results));
}

/// Returns whether the members that are read below have the right types.
bool has_arms(const Json& results) {
  const auto is_text = [](const Json& item, const char* key) {
    return item.contains(key) && item[key].is_string();
  };
  return is_text(results, "name") && results["arms"].is_array() &&
         std::all_of(results["arms"].begin(), results["arms"].end(), [&](const Json& arm) {
           return arm.is_object() && is_text(arm, "name") && is_text(arm, "trace") && arm.contains("twin");
         });
}

Json arm_in(const Json& results, const std::string& name) {
  std::vector<std::string> known;
  for (const Json& arm : results.at("arms")) {
    if (arm.at("name") == name)
      return arm;
    known.push_back(arm.at("name"));
  }
  throw UserError("case " + results.at("name").get<std::string>() + " has no arm '" + name + "'" +
                  suggestion(name, known));
}

}  // namespace

void keep_results(const Json& results_of_case, const fs::path& out) {
  const fs::path file = file_of(results_of_case.at("name"), out);
  Json sealed = results_of_case;
  sealed["seal"] = seal_of(results_of_case);
  write_file(file, json_text(sealed) + "\n");
}

bool take_seal(Json& results) {
  const std::string seal = text_or(results, "seal");
  results.erase("seal");
  return !seal.empty() && seal == seal_of(results);
}

Json last_results(const std::string& case_name, const fs::path& out) {
  const fs::path file = file_of(case_name, out);
  std::error_code error;
  Json results;
  if (fs::is_regular_file(file, error))
    results = read_json(read_file(file));
  if (results.is_object() && results.contains("arms") && !has_arms(results))
    throw UserError(file.string() + " is damaged or of another version of parity; run: parity run " +
                    case_name);
  if (!results.is_object() || !results.contains("arms"))
    throw UserError("no run of " + case_name + " is in " + out.string() +
                        " (a case is known there once it has run); run: parity run " + case_name,
                    ExitCode::missing);
  return results;
}

fs::path find_trace(const std::string& words, const fs::path& out) {
  std::error_code error;
  std::string name = words;
  const bool twin = name.ends_with(twin_suffix);
  if (twin)
    name.resize(name.size() - twin_suffix.size());
  const size_t colon = name.find(':');
  if (fs::exists(words, error) || colon == std::string::npos)
    return words;
  const Json arm = arm_in(last_results(name.substr(0, colon), out), name.substr(colon + 1));
  if (!twin)
    return out / arm.at("trace").get<std::string>();
  if (!arm.at("twin").is_string())
    throw UserError(name +
                        " had no float64 twin in its last run (golden verify runs none, stored evidence may "
                        "stand for it, and not every check needs one); " +
                        "run it with --evidence again, or name it without " + std::string(twin_suffix),
                    ExitCode::missing);
  return out / "runs" / arm.at("twin").get<std::string>();
}

}  // namespace parity
