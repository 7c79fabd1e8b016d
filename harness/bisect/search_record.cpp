// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/search_record.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace parity::bisect {

Json SearchStage::to_json() const {
  return {{"name", name},     {"answer", answer},   {"command", command}, {"runs", runs},
          {"cached", cached}, {"seconds", seconds}, {"details", details}};
}

int64_t SearchRecord::runs() const {
  return std::accumulate(stages.begin(), stages.end(), int64_t{0},
                         [](int64_t sum, const SearchStage& stage) { return sum + stage.runs; });
}

int64_t SearchRecord::cached() const {
  return std::accumulate(stages.begin(), stages.end(), int64_t{0},
                         [](int64_t sum, const SearchStage& stage) { return sum + stage.cached; });
}

Json SearchRecord::to_json() const {
  Json all = Json::array();
  for (const SearchStage& stage : stages)
    all.push_back(stage.to_json());
  return {{"schema", "parity.bisect/1"},
          {"kind", name_of(kind)},
          {"subject", subject},
          {"differs", differs},
          {"sentence", sentence},
          {"stages", all},
          {"runs", {{"executed", runs()}, {"cached", cached()}}},
          {"notes", notes},
          {"details", details}};
}

std::filesystem::path search_record_file(const std::filesystem::path& out, const std::string& name) {
  std::string safe = name;
  std::ranges::replace_if(
      safe, [](unsigned char c) { return !std::isalnum(c) && c != '.' && c != '_' && c != '-' && c != '+'; },
      '_');
  if (safe.starts_with('.'))
    safe.front() = '_';
  return out / "bisect" / (safe + ".json");
}

}  // namespace parity::bisect
