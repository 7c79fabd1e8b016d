// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/golden/diff.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "harness/compare/bits.hpp"
#include "harness/compare/series_difference.hpp"
#include "harness/compare/wording.hpp"
#include "harness/golden/environment.hpp"
#include "harness/golden/golden_file.hpp"

namespace parity {
namespace {

std::string row(const std::string& arm, const std::string& quantity, const std::string& differing,
                const std::string& first, const std::string& before, const std::string& after,
                const std::string& ulp, const std::string& gap) {
  return fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", arm, quantity, differing, first, before,
                     after, ulp, gap);
}

std::string only_in(const std::string& arm, const std::string& quantity, bool in_before) {
  return row(arm, quantity, in_before ? "removed" : "added", "", "", "", "", "");
}

std::string channel_row(const std::string& arm, const std::string& label, const Channel& before,
                        const std::vector<int64_t>& steps_before, const Channel& after,
                        const std::vector<int64_t>& steps_after) {
  const Series left = series_of(before, steps_before, steps_after);
  const Series right = series_of(after, steps_after, left.steps);
  const SeriesDifference difference = measure_series(left, right);
  if (steps_before == steps_after && difference.identical())
    return "";
  std::string differing = fmt::format("{} of {}", difference.differing, difference.count);
  if (steps_before != steps_after)
    differing += fmt::format(" ({} before, {} after)", steps_before.size(), steps_after.size());
  if (!difference.first)
    return row(arm, label, differing, "", "", "", "0", "0");
  const size_t i = *difference.first;
  return row(arm, label, differing, std::to_string(left.steps[i]), left.text(i, difference.float32_valued),
             right.text(i, difference.float32_valued),
             difference.integral ? "" : std::to_string(difference.max_ulp),
             size_text(difference.relative_l2));
}

std::string channel_rows(const std::string& arm, const std::string& suffix, const GoldenChannels& before,
                         const GoldenChannels& after) {
  std::set<std::string> names;
  for (const auto* side : {&before, &after})
    for (const auto& [name, channel] : side->channels)
      names.insert(name);
  std::string rows;
  for (const std::string& name : names) {
    const auto left = before.channels.find(name);
    const auto right = after.channels.find(name);
    if (left == before.channels.end() || right == after.channels.end())
      rows += only_in(arm, name + suffix, right == after.channels.end());
    else
      rows += channel_row(arm, name + suffix, left->second, before.steps, right->second, after.steps);
  }
  return rows;
}

/// One row for the digests of a phase.
std::string phase_row(const std::string& arm, Phase phase, const GoldenArm& before, const GoldenArm& after) {
  size_t count = 0, differing = 0, unmatched = 0;
  double largest = 0;
  const SketchRow* first = nullptr;
  for (const SketchRow& old : before.sketches) {
    if (old.key.phase != phase)
      continue;
    const auto found = std::find_if(after.sketches.begin(), after.sketches.end(),
                                    [&](const SketchRow& each) { return each.key == old.key; });
    if (found == after.sketches.end()) {
      ++unmatched;
      continue;
    }
    ++count;
    const TensorGap gap = measure_tensor({old.key, &old, nullptr}, {old.key, &*found, nullptr});
    differing += gap.identical ? 0 : 1;
    first = !gap.identical && !first ? &old : first;
    largest = !(gap.relative_l2 <= largest) ? gap.relative_l2 : largest;
  }
  const auto of_phase = std::count_if(after.sketches.begin(), after.sketches.end(),
                                      [phase](const SketchRow& each) { return each.key.phase == phase; });
  unmatched += static_cast<size_t>(of_phase) - count;
  if (differing == 0 && unmatched == 0)
    return "";
  std::string text = fmt::format("{} of {} tensors", differing, count);
  if (unmatched > 0)
    text += fmt::format(" ({} unmatched)", unmatched);
  return row(arm, std::string(name_of(phase)), text, first ? std::to_string(first->key.step) : "",
             first ? first->key.name : "", "", "", "about " + size_text(largest));
}

std::string arm_rows(const std::string& arm, const GoldenArm& before, const GoldenArm& after) {
  std::string rows = channel_rows(arm, "", before.run, after.run);
  for (const Phase phase : {Phase::grad, Phase::param})
    rows += phase_row(arm, phase, before, after);
  if (before.twin && after.twin)
    rows += channel_rows(arm, " (float64 twin)", *before.twin, *after.twin);
  else if (before.twin || after.twin)
    rows += only_in(arm, "float64 twin", before.twin.has_value());
  return rows;
}

}  // namespace

std::string golden_diff(const std::filesystem::path& before, const std::filesystem::path& after) {
  const Golden left = read_golden(before);
  const Golden right = read_golden(after);
  std::set<std::string> names;
  for (const auto* side : {&left, &right})
    for (const auto& [name, arm] : side->arms)
      names.insert(name);
  std::string rows, notes;
  for (const std::string& name : names) {
    const auto old = left.arms.find(name);
    const auto now = right.arms.find(name);
    if (old == left.arms.end() || now == right.arms.end()) {
      rows += only_in(name, "all", now == right.arms.end());
      continue;
    }
    rows += arm_rows(name, old->second, now->second);
    if (const std::string config =
            json_difference_text(old->second.config, now->second.config, "before", "after");
        !config.empty())
      notes += fmt::format("- {}: config: {}\n", name, config);
    if (const std::string change =
            json_difference_text(old->second.fingerprint, now->second.fingerprint, "before", "after");
        !change.empty())
      notes += fmt::format("- {}: environment: {}\n", name, change);
  }
  std::string text =
      rows.empty() ? "The values are the same, bit for bit.\n"
                   : "| arm | quantity | differs at | first step | before | after | max ULP | relative L2 "
                     "gap |\n|---|---|---|---|---|---|---|---|\n" +
                         rows;
  if (!notes.empty())
    text += "\n" + notes;
  return text;
}

}  // namespace parity
