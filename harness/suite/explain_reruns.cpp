// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/explain_reruns.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/error.hpp"
#include "harness/base/json/fields.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/suite/plan/identity/identity_change.hpp"
#include "harness/suite/results/file/last.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

constexpr size_t most_phrases = 5;

/// Ids of the runs that answered the arms of a case when it last ran, by arm.
std::map<std::string, std::string> last_runs(const std::string& case_name, const fs::path& out) {
  try {
    std::map<std::string, std::string> runs;
    for (const results::Arm& arm : last_results(case_name, out).arms)
      runs[arm.name] = arm.run;
    return runs;
  } catch (const UserError&) {
    return {};  // the case never ran here, or what was kept of it is damaged: nothing is known
  }
}

bool is_there(const RunStore& store, const std::string& id) {
  std::error_code none;
  return fs::exists(store.folder(id) / "run.json", none);
}

}  // namespace

std::string explain_reruns(const Plan& plan, const RunStore& store, const fs::path& out) {
  std::set<std::string> counted;
  std::map<std::string, int64_t> reasons;
  for (const PlannedCase& planned : plan.cases()) {
    std::map<std::string, std::string> before;
    for (const PlannedArm& arm : planned.arms) {
      if (is_there(store, arm.run) || counted.contains(arm.run))
        continue;
      if (before.empty())
        before = last_runs(planned.source.name, out);
      const auto found = before.find(arm.name);
      const Json identity =
          found == before.end() || found->second == arm.run ? Json() : store.identity(found->second);
      if (identity.is_null())
        continue;
      counted.insert(arm.run);
      const Json now = parse_json(plan.runs().at(arm.run).identity);
      for (const std::string& phrase : describe_identity_change(identity, now))
        ++reasons[phrase];
    }
  }
  if (counted.empty())
    return "";
  std::vector<std::pair<std::string, int64_t>> sorted(reasons.begin(), reasons.end());
  std::ranges::stable_sort(sorted, [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> words;
  for (size_t i = 0; i < std::min(sorted.size(), most_phrases); ++i)
    words.push_back(fmt::format("{} ({})", escape_for_terminal(sorted[i].first), sorted[i].second));
  if (sorted.size() > most_phrases)
    words.push_back(fmt::format("and {} more", sorted.size() - most_phrases));
  return fmt::format("{} arm{} again; changed since the last run: {}", counted.size(),
                     counted.size() == 1 ? " runs" : "s run", fmt::join(words, ", "));
}

}  // namespace parity::suite
