// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "harness/laws/schedules/curve.hpp"

namespace parity::laws {
namespace {

/// Numbers of an optimizer that are constant in most runs. Trainers change the momentum after a warmup.
constexpr std::array settings = {"beta1", "beta2", "eps", "momentum"};

/// Returns the places of values that are not the one before.
std::vector<size_t> find_changes(const Points& points) {
  std::vector<size_t> changes;
  for (size_t i = 1; i < points.size(); ++i)
    if (points.y[i] != points.y[i - 1])
      changes.push_back(i);
  return changes;
}

/// Returns whether values are one constant but for a jump, or for some updates in a row with another one. A
/// schedule has more changes.
bool is_jump(const Points& points, const std::vector<size_t>& changes) {
  constexpr size_t fewest = 4;
  return points.size() >= fewest &&
         (changes.size() == 1 || (changes.size() == 2 && points.y.front() == points.y.back()));
}

void judge_setting(const RecordedRun& run, const std::string& name, const Points& points, Finding& finding) {
  const std::vector<size_t> changes = find_changes(points);
  if (changes.empty())
    return;
  const size_t at = changes.front();
  const int64_t step = points.c[at] + 1;
  const bool is_planned = name.starts_with("momentum") || !is_jump(points, changes);
  if (is_planned || run.trace().provenance().contains("imported")) {
    finding.notes.push_back(fmt::format("{} changes at {} update{} from {:.6g} to {:.6g} at update {}", name,
                                        changes.size(), changes.size() == 1 ? "," : "s, the first time",
                                        points.y[at - 1], points.y[at], step));
    return;
  }
  ++finding.checked;
  std::string sentence = fmt::format(
      "{} is {:.6g} at update {}, where the updates before have {:.6g}, and no config says that it changes",
      name, points.y[at], step, points.y[at - 1]);
  if (changes.size() == 2)
    sentence +=
        fmt::format(": from update {} on it is {:.6g} again", points.c[changes[1]] + 1, points.y[changes[1]]);
  finding.departures.push_back({sentence, step, "", {}, {}});
}

}  // namespace

void judge_constants(const RecordedRun& run, Finding& finding) {
  for (const std::string name : settings) {
    const Points first = points_of(run, name);
    judge_setting(run, name, first, finding);
    for (int group = 1; run.has_channel(fmt::format("{}.{}", name, group)); ++group) {
      const std::string other = fmt::format("{}.{}", name, group);
      if (const Points points = points_of(run, other); points.y != first.y)
        judge_setting(run, other, points, finding);
    }
  }
}

}  // namespace parity::laws
