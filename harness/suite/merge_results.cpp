// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/merge_results.hpp"

#include <map>

#include <fmt/format.h>

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

/// The shards among the folders.
class Shards {
 public:
  /// \throws UserError if the folder's shard was there already, or is of another suite
  void add(const Json& results, const fs::path& folder) {
    if (!results.contains("shard"))
      return;
    const Json& shard = results.at("shard");
    const int64_t index = shard.at("index");
    if (!first_.is_null() &&
        (shard.at("count") != first_.at("count") || shard.at("suite") != first_.at("suite")))
      throw UserError(
          fmt::format("{} is shard {} of {} and {} shard {} of {}, of {} (shards of one suite "
                      "belong together); run both with the same cases and the same N",
                      folders_.begin()->second.string(), folders_.begin()->first, first_.at("count").dump(),
                      folder.string(), index, shard.at("count").dump(),
                      shard.at("suite") == first_.at("suite") ? "the same cases" : "other cases"));
    first_ = first_.is_null() ? shard : first_;
    if (const auto [known, is_new] = folders_.try_emplace(index, folder); !is_new)
      throw UserError(fmt::format("shard {} of {} is given twice: {} and {}; name each folder once", index,
                                  shard.at("count").dump(), known->second.string(), folder.string()));
  }

  void describe(Json& merged) const {
    if (first_.is_null())
      return;
    merged.erase("shard");
    merged["missing_shards"] = Json::array();
    for (int64_t index = 1; index <= first_.at("count").get<int64_t>(); ++index)
      if (!folders_.contains(index))
        merged["missing_shards"].push_back(index);
    merged["environment"]["shard"] = fmt::format("{} of {}", folders_.size(), first_.at("count").dump());
    if (!merged["missing_shards"].empty())
      merged["environment"]["missing shards"] = merged["missing_shards"].dump();
  }

 private:
  Json first_;
  std::map<int64_t, fs::path> folders_;
};

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
  Shards shards;
  std::map<std::string, fs::path> seen;
  for (const fs::path& folder : folders) {
    Json results = read_results(folder);
    shards.add(results, folder);
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
    for (const Json& name : results.value("unfinished", Json::array()))
      merged["unfinished"].push_back(name);
    merged["interrupted"] = merged.value("interrupted", false) || results.value("interrupted", false);
    merged["seconds"] = merged.value("seconds", 0.0) + results.value("seconds", 0.0);
  }
  if (folders.size() > 1) {
    shards.describe(merged);
    merged["command"] = {"parity", "report"};  // the runs' own commands made a part each
    for (const fs::path& folder : folders)
      merged["command"].push_back(folder.string());
    merged["command"].push_back("--out");
    merged["command"].push_back(out.string());
  }
  return merged;
}

}  // namespace parity
