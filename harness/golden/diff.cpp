// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/golden/diff.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "harness/base/json/fields.hpp"
#include "harness/compare/curves/series_difference.hpp"
#include "harness/compare/relations/bits.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/golden/environment.hpp"

namespace parity::golden {
namespace {

using Kind = GoldenDifference::Kind;
using Rows = std::vector<GoldenDifference>;

constexpr const char* twin_quantity = "float64 twin";
constexpr const char* of_twin = " (float64 twin)";  // behind the name of a channel

GoldenDifference only_in(const std::string& arm, const std::string& quantity, bool in_before) {
  GoldenDifference row;
  row.kind = in_before ? Kind::removed : Kind::added;
  row.arm = arm;
  row.quantity = quantity;
  row.differs = in_before ? "removed" : "added";
  return row;
}

void add_channel(Rows& rows, const std::string& arm, const std::string& label, const trace::Channel& before,
                 const std::vector<int64_t>& steps_before, const trace::Channel& after,
                 const std::vector<int64_t>& steps_after) {
  const compare::Series left = compare::series_of(before, steps_before, steps_after);
  const compare::Series right = compare::series_of(after, steps_after, left.steps);
  const compare::SeriesDifference difference = measure_series(left, right);
  if (steps_before == steps_after && difference.identical())
    return;
  GoldenDifference row{Kind::changed, arm, label, "", {}, "", "", "", {}, {}, false};
  row.differs = fmt::format("{} of {}", difference.differing, difference.count);
  if (steps_before != steps_after)
    row.differs += fmt::format(" ({} before, {} after)", steps_before.size(), steps_after.size());
  row.relative_l2 = difference.first ? difference.relative_l2 : 0;
  if (!difference.integral || !difference.first)
    row.max_ulp = difference.first ? difference.max_ulp : 0;
  if (difference.first) {
    const size_t i = *difference.first;
    row.first_step = left.steps[i];
    row.before = left.text(i, difference.float32_valued);
    row.after = right.text(i, difference.float32_valued);
  }
  rows.push_back(row);
}

void add_channels(Rows& rows, const std::string& arm, const std::string& suffix, const GoldenChannels& before,
                  const GoldenChannels& after) {
  std::set<std::string> names;
  for (const auto* side : {&before, &after})
    for (const auto& [name, channel] : side->channels)
      names.insert(name);
  for (const std::string& name : names) {
    const auto left = before.channels.find(name);
    const auto right = after.channels.find(name);
    if (left == before.channels.end() || right == after.channels.end())
      rows.push_back(only_in(arm, name + suffix, right == after.channels.end()));
    else
      add_channel(rows, arm, name + suffix, left->second, before.steps, right->second, after.steps);
  }
}

/// Adds one row for the digests of a phase.
void add_phase(Rows& rows, const std::string& arm, trace::Phase phase, const GoldenArm& before,
               const GoldenArm& after) {
  size_t count = 0, differing = 0, unmatched = 0;
  double largest = 0;
  const trace::SketchRow* first = nullptr;
  for (const trace::SketchRow& old : before.sketches) {
    if (old.key.phase != phase)
      continue;
    const auto found = std::find_if(after.sketches.begin(), after.sketches.end(),
                                    [&](const trace::SketchRow& each) { return each.key == old.key; });
    if (found == after.sketches.end()) {
      ++unmatched;
      continue;
    }
    ++count;
    const compare::TensorGap gap =
        compare::measure_tensor({old.key, &old, nullptr}, {old.key, &*found, nullptr});
    differing += gap.identical ? 0 : 1;
    first = !gap.identical && !first ? &old : first;
    largest = !(gap.relative_l2 <= largest) ? gap.relative_l2 : largest;
  }
  const auto of_phase =
      std::count_if(after.sketches.begin(), after.sketches.end(),
                    [phase](const trace::SketchRow& each) { return each.key.phase == phase; });
  unmatched += static_cast<size_t>(of_phase) - count;
  if (differing == 0 && unmatched == 0)
    return;
  GoldenDifference row{Kind::changed, arm, std::string(name_of(phase)), "", {}, "", "", "", {},
                       largest,       true};
  row.differs = fmt::format("{} of {} tensors", differing, count);
  if (unmatched > 0)
    row.differs += fmt::format(" ({} unmatched)", unmatched);
  if (first) {
    row.first_step = first->key.step;
    row.tensor = first->key.name;
  }
  rows.push_back(row);
}

void add_arm(Rows& rows, const std::string& arm, const GoldenArm& before, const GoldenArm& after) {
  add_channels(rows, arm, "", before.run, after.run);
  for (const trace::Phase phase : {trace::Phase::grad, trace::Phase::param})
    add_phase(rows, arm, phase, before, after);
  if (before.twin && after.twin)
    add_channels(rows, arm, of_twin, *before.twin, *after.twin);
  else if (before.twin || after.twin)
    rows.push_back(only_in(arm, twin_quantity, before.twin.has_value()));
}

/// Returns a point of an operator's sweep in words; "" if the arm trains.
std::string point_text(const Json& config, int64_t step) {
  const Json problem = config.value("/operator/problem"_json_pointer, Json());
  const Json points = problem.is_object() ? problem.value("points", Json()) : Json();
  const size_t i = static_cast<size_t>(step) - 1;
  if (!points.is_array() || step < 1 || i >= points.size() || !points[i].is_object())
    return "";
  const Json sizes = points[i].value("sizes", Json::object());
  std::string text;
  for (const auto& [symbol, size] : sizes.items())
    text += fmt::format("{} = {}, ", symbol, size.dump());
  return text + text_or(points[i], "dtype", "");
}

std::string markdown_row(const GoldenDifference& row) {
  const auto number = [](const auto& value) { return value ? std::to_string(*value) : std::string(); };
  const std::string first = row.point.empty() ? number(row.first_step) : row.point;
  std::string gap;
  if (row.relative_l2)
    gap = row.estimated ? "about " + compare::size_text(*row.relative_l2)
                        : compare::size_text(*row.relative_l2);
  return fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", row.arm, row.quantity, row.differs, first,
                     row.tensor.empty() ? row.before : row.tensor, row.after, number(row.max_ulp), gap);
}

/// Returns how two recordings differ in what float64 twins showed; "" if they do not.
std::string evidence_note(const GoldenEvidence& before, const GoldenEvidence& after) {
  if (before.records == after.records)
    return "";
  const auto kept = std::ranges::count_if(after.records, [&](const EvidenceRecord& record) {
    return std::ranges::find(before.records, record) != before.records.end();
  });
  return fmt::format("evidence of float64 twins: {} before, {} after, {} of them unchanged",
                     compare::count_text(before.records.size(), "check"),
                     compare::count_text(after.records.size(), "check"), kept);
}

}  // namespace

Json GoldenDifference::to_json() const {
  static constexpr std::array<const char*, 3> kinds = {"changed", "added", "removed"};
  return {{"kind", kinds.at(static_cast<size_t>(kind))},
          {"arm", arm},
          {"quantity", quantity},
          {"differs", differs},
          {"first_step", first_step ? Json(*first_step) : Json()},
          {"point", point.empty() ? Json() : Json(point)},
          {"tensor", tensor},
          {"before", before},
          {"after", after},
          {"max_ulp", max_ulp ? Json(*max_ulp) : Json()},
          {"relative_l2", relative_l2 ? json_number(*relative_l2) : Json()},
          {"estimated", estimated}};
}

bool is_in_twin(const GoldenDifference& difference) {
  return difference.kind == Kind::changed && difference.quantity.ends_with(of_twin);
}

std::vector<GoldenDifference> golden_differences(const GoldenContent& before, const GoldenContent& after) {
  std::set<std::string> names;
  for (const auto* side : {&before, &after})
    for (const auto& [name, arm] : *side)
      names.insert(name);
  Rows rows;
  for (const std::string& name : names) {
    const auto old = before.find(name);
    const auto now = after.find(name);
    if (old == before.end() || now == after.end())
      rows.push_back(only_in(name, "all", now == after.end()));
    else
      add_arm(rows, name, old->second, now->second);
  }
  for (GoldenDifference& row : rows)
    if (const auto now = after.find(row.arm); now != after.end() && row.first_step)
      row.point = point_text(now->second.config, *row.first_step);
  return rows;
}

bool same_values(const GoldenContent& before, const GoldenContent& after) {
  const Rows rows = golden_differences(before, after);
  return std::all_of(rows.begin(), rows.end(),
                     [](const GoldenDifference& row) { return row.quantity == twin_quantity; });
}

std::vector<std::string> golden_notes(const GoldenContent& before, const GoldenContent& after) {
  std::vector<std::string> notes;
  const auto add = [&](const std::string& name, const char* what, const std::string& change) {
    if (!change.empty())
      notes.push_back(fmt::format("{}: {}: {}", name, what, change));
  };
  for (const auto& [name, old] : before)
    if (const auto now = after.find(name); now != after.end()) {
      add(name, "config", config_difference_text(old, now->second, "before", "after"));
      add(name, "environment",
          json_difference_text(old.fingerprint, now->second.fingerprint, "before", "after"));
    }
  return notes;
}

GoldenHistory new_changes(const Golden& before, const Golden& after) {
  GoldenHistory changes = after.history;
  const auto known = [&](const GoldenChange& change) {
    return std::any_of(before.history.begin(), before.history.end(), [&](const GoldenChange& old) {
      return old.reason == change.reason && old.commit == change.commit && old.content == change.content;
    });
  };
  std::erase_if(changes, known);
  return changes;
}

std::string golden_diff(const Golden& left, const Golden& right) {
  std::string rows;
  bool has_points = false;
  for (const GoldenDifference& row : golden_differences(left.arms, right.arms)) {
    rows += markdown_row(row);
    has_points = has_points || !row.point.empty();
  }
  std::string text = "The values are the same, bit for bit.\n";
  if (!rows.empty())
    text = fmt::format(
        "| arm | quantity | differs at | first {} | before | after | max ULP | relative L2 gap |\n"
        "|---|---|---|---|---|---|---|---|\n{}",
        has_points ? "point" : "step", rows);
  std::string notes;
  for (const std::string& note : golden_notes(left.arms, right.arms))
    notes += "- " + note + "\n";
  if (const std::string note = evidence_note(left.evidence, right.evidence); !note.empty())
    notes += "- " + note + "\n";
  for (const GoldenChange& change : new_changes(left, right))
    notes += fmt::format("- reason given ({}): {}\n", change.commit, change.reason);
  return notes.empty() ? text : text + "\n" + notes;
}

}  // namespace parity::golden
