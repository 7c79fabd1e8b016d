// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/enum_names.hpp"
#include "harness/base/json.hpp"

namespace parity {

/// One stage of a search: what was asked, what came out, what it took.
struct SearchStage {
  std::string name;     ///< "step", "tensor", "operator", "element", "options", "commits", ...
  std::string answer;   ///< a sentence
  std::string command;  ///< that asks it again, to be pasted; "" where there is none
  int64_t runs = 0;     ///< that it executed
  int64_t cached = 0;   ///< answers that were there before
  double seconds = 0;   ///< wall time
  Json details = Json::object();

  Json to_json() const;
};

/// What a search looks through.
enum class SearchKind { run, options, commits, traces, golden };

template <>
struct EnumNames<SearchKind> {
  static constexpr std::string_view what = "kind of search";
  static constexpr std::array<std::string_view, 5> names = {"run", "options", "commits", "traces", "golden"};
};

/// What a search found: the same record for every kind of search, for terminal, JSON and page.
struct SearchRecord {
  SearchKind kind = SearchKind::run;
  std::string subject;  ///< "lr/warmup_index: one_indexed against zero_indexed"
  bool differs = true;  ///< false: there is nothing to look for
  std::string sentence;
  std::vector<SearchStage> stages;  ///< from the curve to the cause
  std::vector<std::string> notes;   ///< what a reader must know beside the answer
  Json details = Json::object();

  int64_t runs() const;
  int64_t cached() const;
  /// Schema parity.bisect/1.
  Json to_json() const;
};

/// OUT/bisect/<name>.json, with everything in `name` that no file name may hold replaced.
std::filesystem::path search_record_file(const std::filesystem::path& out, const std::string& name);

}  // namespace parity
