// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/merge_results.hpp"

#include <map>

#include "harness/base/error.hpp"
#include "harness/base/file.hpp"

namespace parity {
namespace fs = std::filesystem;
namespace {

void move_traces(Json& item, const fs::path& from, const fs::path& to) {
  for (Json& arm : item.at("arms"))
    if (arm.contains("trace") && arm["trace"].is_string())
      arm["trace"] = (fs::absolute(from) / arm["trace"].get<std::string>())
                         .lexically_normal()
                         .lexically_relative(fs::absolute(to).lexically_normal())
                         .generic_string();
}

void add_counts(Json& sum, const Json& other) {
  for (const auto& [key, value] : other.items()) {
    if (value.is_object()) {
      if (!sum.contains(key))
        sum[key] = Json::object();
      add_counts(sum[key], value);
    } else if (value.is_number()) {
      sum[key] = value.get<int64_t>() + sum.value(key, int64_t{0});
    }
  }
}

}  // namespace

Json read_results(const fs::path& folder) {
  const fs::path file = fs::is_directory(folder) ? folder / "results.json" : folder;
  if (!fs::exists(file))
    throw UserError(
        "there is no " + file.string() + " (a suite run leaves it); run: parity run --out " + folder.string(),
        ExitCode::missing);
  Json results = Json::parse(read_file(file), nullptr, false);
  if (!results.is_object() || results.value("schema", "") != "parity.results/1" ||
      !results.contains("cases") || !results.contains("summary"))
    throw UserError(file.string() +
                    " holds no results this version reads (schema parity.results/1 expected); run the "
                    "suite again");
  return results;
}

Json merge_results(const std::vector<fs::path>& folders, const fs::path& out) {
  Json merged;
  std::map<std::string, fs::path> seen;
  for (const fs::path& folder : folders) {
    Json results = read_results(folder);
    for (Json& item : results["cases"]) {
      const std::string name = item.at("name");
      if (const auto [known, is_new] = seen.try_emplace(name, folder); !is_new)
        throw UserError("case " + name + " is in " + known->second.string() + " and in " + folder.string() +
                        " (a report shows a case once); merge shards of one suite");
      move_traces(item, folder, out);
    }
    if (merged.is_null()) {
      merged = std::move(results);
      continue;
    }
    for (Json& item : results["cases"])
      merged["cases"].push_back(std::move(item));
    add_counts(merged["summary"], results["summary"]);
    merged["seconds"] = merged.value("seconds", 0.0) + results.value("seconds", 0.0);
  }
  return merged;
}

}  // namespace parity
