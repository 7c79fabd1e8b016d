// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/enum_names.hpp"
#include "harness/base/json/json.hpp"

namespace parity::bisect {

/// One stage of a search: its question, answer and cost.
struct SearchStage {
  std::string name;     ///< "step", "tensor", "operator", "element", "options", "commits", ...
  std::string answer;   ///< a sentence
  std::string command;  ///< shell command that repeats the stage; "" if there is none
  int64_t runs = 0;     ///< executed runs
  int64_t cached = 0;   ///< answers from the cache
  double seconds = 0;   ///< wall time
  Json details = Json::object();

  Json to_json() const;
};

/// The kinds of searches, by what they search through.
enum class SearchKind { run, options, commits, traces, golden, versions };

constexpr auto enum_names(SearchKind) {
  return named<SearchKind::versions>("kind of search",
                                     {"run", "options", "commits", "traces", "golden", "versions"});
}

/// The result of a search of any kind, for terminal, JSON and page.
struct SearchRecord {
  SearchKind kind = SearchKind::run;
  std::string subject;  ///< "lr/warmup_index: one_indexed against zero_indexed"
  bool differs = true;  ///< false: the two sides agree, so there is nothing to find
  std::string sentence;
  std::vector<SearchStage> stages;  ///< from the curve to the cause
  std::vector<std::string> notes;   ///< caveats of the answer
  Json details = Json::object();

  int64_t runs() const;
  int64_t cached() const;
  /// Schema parity.bisect/1.
  Json to_json() const;
};

/// Returns OUT/bisect/<name>.json, with characters that file names cannot contain replaced in `name`.
std::filesystem::path search_record_file(const std::filesystem::path& out, const std::string& name);

}  // namespace parity::bisect
