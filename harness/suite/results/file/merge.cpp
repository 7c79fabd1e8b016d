// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/results/file/merge.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/json/fields.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/results/read_case.hpp"
#include "harness/results/schema.hpp"
#include "harness/suite/results/file/mixed.hpp"
#include "harness/suite/results/file/writer.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

void move_traces(results::Case& item, const fs::path& from, const fs::path& to) {
  for (results::Arm& arm : item.arms)
    if (!arm.trace.empty())
      arm.trace = (fs::absolute(from) / arm.trace)
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
  /// Adds the shard of a folder.
  /// \throws UserError if it is a duplicate, or of another suite
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
                      shard.at("suite") == first_.at("suite") ? "the same cases"
                                                              : "other cases, or cases with other files"));
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

fs::path file_in(const fs::path& folder) {
  std::error_code error;
  return fs::is_directory(folder, error) ? folder / "results.json" : folder;
}

[[noreturn]] void fail_damaged(const fs::path& folder, const std::string& why) {
  throw UserError(escape_for_terminal(file_in(folder).string()) + " is damaged (" + why +
                  "); run the suite again");
}

/// Merges the members of several results that are about all their cases.
class Sum {
 public:
  explicit Sum(Mixing mixing) : mixing_(mixing) {}

  void add(const Json& rest, const fs::path& folder) {
    shards_.add(rest, folder);
    folders_.push_back(folder);
    for (const Json& known : rest.value("mixed", Json::array()))  // of results that are already merged
      mixed_.push_back(known.get<std::string>());
    if (sum_.is_null()) {
      sum_ = first_ = rest;
      sum_.erase("cases");
      return;
    }
    compare_origin(rest, folder);
    add_counts(sum_["summary"], rest["summary"]);
    if (!sum_.contains("goldens") && rest.contains("goldens"))  // only one shard has them
      sum_["goldens"] = rest["goldens"];
    for (const Json& name : rest.value("unfinished", Json::array()))
      sum_["unfinished"].push_back(name);
    sum_["interrupted"] = sum_.value("interrupted", false) || rest.value("interrupted", false);
    const double before = number_or(sum_, "seconds", 0);
    const double more = number_or(rest, "seconds", 0);
    sum_["seconds"] = shards_.any() ? std::max(before, more) : before + more;  // shards run in parallel
  }

  const Json& json() const { return sum_; }

  /// Records the origin of the merged results. A single shard's report does not need it.
  void describe(const fs::path& out) {
    sum_["schema"] = results::schema;
    shards_.describe(sum_);
    if (!mixed_.empty())
      sum_["mixed"] = mixed_;
    if (folders_.size() == 1)
      return;
    sum_["command"] = {"parity", "report"};  // the commands of the runs each made only a share of it
    for (const fs::path& folder : folders_)
      sum_["command"].push_back(folder.string());
    sum_["command"].push_back("--out");
    sum_["command"].push_back(out.string());
  }

 private:
  /// Compares the origin of results with that of the first folder.
  /// \throws UserError if they differ and mixing is not allowed
  void compare_origin(const Json& rest, const fs::path& folder) {
    const auto found = differences_of_origin(first_, folders_.front().string(), rest, folder.string());
    if (!found.empty() && mixing_ == Mixing::refused)
      throw UserError(
          fmt::format("cannot merge {} and {} (they differ in {}); run both with one build on one kind of "
                      "machine, or add "
                      "--mixed, which every report then shows",
                      folders_.front().string(), folder.string(), fmt::join(found, "; ")));
    mixed_.insert(mixed_.end(), found.begin(), found.end());
  }

  Mixing mixing_;
  std::vector<fs::path> folders_;
  Shards shards_;
  Json sum_;
  Json first_;  ///< of the first folder, without its cases
  std::vector<std::string> mixed_;
};

UserError not_ours(const fs::path& file, const std::string& why) {
  return UserError(escape_for_terminal(file.string()) + " holds no results this version reads (" + why +
                   "); run the suite again");
}

JsonItems items_of(const fs::path& file) {
  auto text = std::make_unique<std::ifstream>(open_file(file));
  try {
    return {std::move(text), "cases"};
  } catch (const Json::exception&) {
    throw not_ours(file, "it is not JSON");
  } catch (const UserError& error) {
    throw not_ours(file, error.what());
  }
}

}  // namespace

JsonItems read_results(const fs::path& folder) {
  std::error_code error;
  const fs::path file = file_in(folder);
  if (!fs::exists(file, error))
    throw UserError("there is no " + escape_to_line(file.string()) +
                        " (a suite run leaves it); run: parity run --out " + folder.string(),
                    ExitCode::missing);
  JsonItems cases = items_of(file);
  const Json& rest = cases.rest();
  if (!results::is_readable(text_or(rest, "schema")) || !rest.contains("cases") || !rest.contains("summary"))
    throw not_ours(file, fmt::format("schema {} expected", results::schema));
  if (!rest["cases"].is_array() || !rest["summary"].is_object())
    fail_damaged(folder, "cases is not a list, or summary is not an object");
  return cases;
}

results::Case read_case_results(const JsonItems& cases, size_t place, const fs::path& folder) try {
  return results::read_case(cases.item(place), fmt::format("cases[{}]", place));
} catch (const Json::exception& error) {
  fail_damaged(folder, error.what());
} catch (const UserError& error) {
  fail_damaged(folder, error.what());
}

void merge_results(const std::vector<fs::path>& folders, const fs::path& out, Mixing mixing) try {
  std::error_code none;
  if (folders.size() == 1 && fs::equivalent(folders.front(), out, none))
    return;
  std::optional<ResultsWriter> writer;
  Sum sum(mixing);
  std::map<std::string, fs::path> seen;
  for (const fs::path& folder : folders) {
    const JsonItems cases = read_results(folder);
    sum.add(cases.rest(), folder);
    if (!writer)
      writer.emplace(out / "results.json");
    for (size_t i = 0; i < cases.size(); ++i) {
      results::Case item = read_case_results(cases, i, folder);
      if (const auto [known, is_new] = seen.try_emplace(item.name, folder); !is_new)
        throw UserError("case " + item.name + " is in " + known->second.string() + " and in " +
                        folder.string() + " (a report shows a case once); merge shards of one suite");
      move_traces(item, folder, out);
      writer->add(seen.size(), item);
    }
  }
  sum.describe(out);
  if (writer)
    writer->finish(sum.json());
} catch (const Json::exception& error) {
  throw UserError(std::string("a results.json of these folders is damaged (") + error.what() +
                  "); run its suite again");
}

}  // namespace parity::suite
