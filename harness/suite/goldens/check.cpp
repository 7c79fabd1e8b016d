// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/goldens/check.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/golden/diff.hpp"
#include "harness/golden/golden_file.hpp"
#include "harness/suite/cases/read/drop_checks.hpp"
#include "harness/suite/plan/traces_read.hpp"
#include "harness/suite/results/file/last.hpp"

namespace parity::suite {
namespace fs = std::filesystem;

namespace {

/// Returns whether an arm may read the trace of another, which the golden need not have.
bool may_read_trace(const Arm& arm) {
  return arm.is_command() || arm.config.contains(replay_key);
}

}  // namespace

std::vector<Case> only_goldens(std::vector<Case> cases) {
  std::erase_if(cases, [](const Case& item) { return item.golden.arms.empty(); });
  for (Case& item : cases) {
    drop_checks(item, compare::Against::arm);
    const auto unused = [&](const Arm& arm) {
      return std::find(item.golden.arms.begin(), item.golden.arms.end(), arm.name) == item.golden.arms.end();
    };
    if (std::ranges::none_of(item.arms, may_read_trace))
      std::erase_if(item.arms, unused);
    if (std::none_of(item.arms.begin(), item.arms.end(),
                     [&](const Arm& a) { return a.name == item.reference; }))
      item.reference = item.arms.front().name;
  }
  return cases;
}

GoldenDiff diff_goldens(const std::string& name, const golden::Golden& before, const golden::Golden& after) {
  GoldenDiff diff{same_values(before.arms, after.arms), golden_diff(before, after), {}};
  diff.json = {{"name", name},
               {"identical", diff.identical},
               {"differences", Json::array()},
               {"notes", golden_notes(before.arms, after.arms)},
               {"reasons", history_json(new_changes(before, after))}};
  for (const golden::GoldenDifference& row : golden_differences(before.arms, after.arms))
    diff.json["differences"].push_back(row.to_json());
  return diff;
}

GoldenDiff diff_files(const fs::path& before, const fs::path& after) {
  const golden::Golden golden = golden::read_intact_golden(after);
  return diff_goldens(golden.origin.case_name, golden::read_intact_golden(before), golden);
}

GoldenDiff diff_with_last_run(const Case& source, const fs::path& out) {
  golden::Golden stored = golden::read_intact_golden(source.golden_file);
  golden::Golden now;
  const results::Case last = last_results(source.name, out);
  if (!last.settings.empty())
    throw UserError(
        fmt::format("cannot compare the last run of {} with its golden (--set changed the run); run it "
                    "without --set: parity run {}",
                    source.name, source.file.string()));
  for (const results::Arm& arm : last.arms) {
    const std::string& name = arm.name;
    if (std::find(source.golden.arms.begin(), source.golden.arms.end(), name) == source.golden.arms.end())
      continue;
    const trace::Trace trace = trace::Trace::open(out / arm.trace);
    std::optional<trace::Trace> twin;
    if (!arm.twin.empty())
      twin = trace::Trace::open(out / "runs" / arm.twin);
    now.arms[name] = golden::content_of({&trace, twin ? &*twin : nullptr, false, 0});
    // The trace of a command need not have the keys that it was given, so they are not compared.
    if (const auto old = stored.arms.find(name); old != stored.arms.end())
      old->second.given = nullptr;
    // While bits agree, no twin is needed. If the run has none, this leaves out the stored one too.
    if (const auto old = stored.arms.find(name); !twin && old != stored.arms.end())
      old->second.twin.reset();
    else if (old != stored.arms.end() && !old->second.twin)
      now.arms[name].twin.reset();
  }
  now.history = stored.history;
  now.evidence = stored.evidence;
  return diff_goldens(source.name, stored, now);
}

}  // namespace parity::suite
