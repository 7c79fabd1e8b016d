// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/merge_results.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/file.hpp"
#include "harness/base/json_fields.hpp"
#include "harness/base/visible.hpp"

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
      if (!sum.contains(key) || !sum[key].is_object())
        sum[key] = Json::object();
      add_counts(sum[key], value);
    } else if (value.is_number()) {
      sum[key] = value.get<int64_t>() + static_cast<int64_t>(number_or(sum, key.c_str(), 0));
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

  bool any() const { return !first_.is_null(); }

  void describe(Json& merged) const {
    if (!any())
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

/// What is counted and merged below has the type it is taken as; renderers look at the rest.
void expect_form(const Json& results, const fs::path& file) {
  const auto has = [](const Json& item, const char* key, Json::value_t type) {
    return item.is_object() && item.contains(key) && item.at(key).type() == type;
  };
  const auto all = [](const Json& list, const auto& good) {
    return std::all_of(list.begin(), list.end(), good);
  };
  const auto good_check = [&](const Json& check) {
    return has(check, "passed", Json::value_t::boolean) && has(check, "verdict", Json::value_t::string);
  };
  const auto good_arm = [&](const Json& arm) { return has(arm, "status", Json::value_t::string); };
  const auto good_case = [&](const Json& item) {
    return has(item, "name", Json::value_t::string) && has(item, "arms", Json::value_t::array) &&
           has(item, "checks", Json::value_t::array) && all(item["arms"], good_arm) &&
           all(item["checks"], good_check);
  };
  if (!has(results, "cases", Json::value_t::array) || !has(results, "summary", Json::value_t::object) ||
      !all(results["cases"], good_case))
    throw UserError(visible(file.string()) +
                    " is damaged (its cases are not in the form of reports/RESULTS.md); " +
                    "run the suite again");
}

}  // namespace

Json read_results(const fs::path& folder) {
  std::error_code error;
  const fs::path file = fs::is_directory(folder, error) ? folder / "results.json" : folder;
  if (!fs::exists(file, error))
    throw UserError("there is no " + visible_name(file.string()) +
                        " (a suite run leaves it); run: parity run --out " + folder.string(),
                    ExitCode::missing);
  Json results = read_json(read_file(file));
  if (!results.is_object() || text_or(results, "schema") != "parity.results/1" ||
      !results.contains("cases") || !results.contains("summary"))
    throw UserError(file.string() +
                    " holds no results this version reads (schema parity.results/1 expected); run the "
                    "suite again");
  expect_form(results, file);
  return results;
}

Json merge_results(const std::vector<fs::path>& folders, const fs::path& out) try {
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
    const double before = number_or(merged, "seconds", 0);
    const double more = number_or(results, "seconds", 0);
    merged["seconds"] = shards.any() ? std::max(before, more) : before + more;  // shards run side by side
  }
  const bool elsewhere =
      fs::absolute(folders.front()).lexically_normal() != fs::absolute(out).lexically_normal();
  if (folders.size() > 1 || elsewhere)  // a shard's own report is its own
    shards.describe(merged);
  if (folders.size() > 1) {
    merged["command"] = {"parity", "report"};  // the runs' own commands made a part each
    for (const fs::path& folder : folders)
      merged["command"].push_back(folder.string());
    merged["command"].push_back("--out");
    merged["command"].push_back(out.string());
  }
  return merged;
} catch (const Json::exception& error) {
  throw UserError(std::string("a results.json of these folders is damaged (") + error.what() +
                  "); run its suite again");
}

}  // namespace parity
