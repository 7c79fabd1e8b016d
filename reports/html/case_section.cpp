// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/html/case_section.hpp"

#include <algorithm>

#include "reports/html/page_data.hpp"
#include "reports/html/templates.hpp"
#include "reports/model/case_times.hpp"
#include "reports/model/checks/label.hpp"
#include "reports/model/curves/gap_label.hpp"
#include "reports/model/curves/shown.hpp"
#include "reports/model/mask_picture.hpp"

namespace parity::reports {
namespace {

std::string arm_facts(const Arm& arm, const std::string& reference) {
  std::string facts = arm.name == reference ? "reference, " : "";
  facts += count(static_cast<size_t>(std::max<int64_t>(arm.steps, 0)), "step");
  facts += ", " + count(static_cast<size_t>(std::max<int64_t>(arm.ranks, 0)), "rank");
  if (const std::string mesh = mesh_label(arm); !mesh.empty())
    facts += " (" + name_of(mesh) + ")";
  facts += arm.cached ? ", from the cache" : ", " + duration(arm.seconds);
  if (arm.tokens_per_second)
    facts += ", " + brief(*arm.tokens_per_second) + " tokens/s";
  if (arm.status != ArmStatus::complete)
    facts += arm.status == ArmStatus::skipped ? ", could not run here" : ", did not finish";
  return facts;
}

Data failures(const Case& item) {
  Data rows = list();
  for (const Arm& arm : item.arms) {
    if (!arm.failed())
      continue;
    Data row = pair("arm", name_of(arm.name), "kind", failure_label(arm.failure->kind));
    row.set("message", text_of(arm.failure->message));
    row.set("has_tail", !arm.stderr_tail.empty());
    const std::string tail = escape_for_terminal(arm.stderr_tail);
    const size_t line = tail.size() > 20000 ? tail.find('\n', tail.size() - 20000) : std::string::npos;
    row.set("tail", line == std::string::npos ? tail : tail.substr(line + 1));
    rows.push_back(row);
  }
  return rows;
}

std::string curve_label(const std::string& channel) {
  std::string label = name_of(channel);
  std::ranges::replace(label, '_', ' ');
  return label;
}

Data curves(const Case& item) {
  Data rows = list();
  size_t number = 0;
  for (const Curve& curve : shown_curves(item)) {
    Data row = pair("number", std::to_string(number++), "label", curve_label(curve.channel));
    std::string arms, gaps;
    for (const Series& series : curve.series)
      arms += (arms.empty() ? "" : ", ") + name_of(series.arm);
    Data gap_list = list();
    for (const std::string& gap : gap_labels(curve)) {
      gaps += (gaps.empty() ? "" : "; ") + name_of(gap);
      gap_list.push_back(Data{"gap", name_of(gap)});
    }
    row.set("arms", arms);
    row.set("gaps", gaps);
    row.set("gap_list", gap_list);
    row.set("first", curve.steps.empty() ? "none" : std::to_string(curve.steps.front()));
    row.set("last", curve.steps.empty() ? "none" : std::to_string(curve.steps.back()));
    row.set("no_gap", curve.gap.empty());
    rows.push_back(row);
  }
  return rows;
}

Data masks(const Case& item) {
  Data rows = list();
  for (size_t i = 0; i < item.masks.size(); ++i) {
    const MaskPicture& mask = item.masks[i];
    std::string arms;
    for (const std::string& arm : mask.arms)
      arms += (arms.empty() ? "" : " against ") + name_of(arm);
    Data row = pair("number", std::to_string(i), "arms", arms);
    row.set("sentence", mask_sentence(mask));
    rows.push_back(row);
  }
  return rows;
}

void set_differences(Data& data, const Case& item) {
  data.set("has_differences", !item.config_difference.empty());
  Data arms = list();
  for (const Arm& arm : item.arms)
    arms.push_back(Data{"arm", name_of(arm.name)});
  data.set("difference_arms", arms);
  Data rows = list();
  for (const ConfigDifference& difference : item.config_difference) {
    Data values = list();
    for (const Arm& arm : item.arms) {
      const auto found = std::ranges::find(difference.values, arm.name, &std::pair<std::string, Json>::first);
      values.push_back(
          Data{"value", found == difference.values.end() ? "not there" : name_of(exact(found->second))});
    }
    Data row;
    row.set("key", breakable(difference.key));
    row.set("values", values);
    rows.push_back(row);
  }
  data.set("differences", rows);
}

}  // namespace

CaseSection::CaseSection()
    : case_template_(parse(templates::case_mustache)), arm_template_(parse(templates::arm_mustache)) {}

std::string CaseSection::arm_blocks(const Case& item) {
  std::string blocks;
  for (size_t i = 0; i < item.arms.size(); ++i) {
    Data data = pair("number", std::to_string(i), "name", name_of(item.arms[i].name));
    data.set("facts", arm_facts(item.arms[i], item.reference));
    blocks += arm_template_.render(data);
  }
  return blocks;
}

std::string CaseSection::render(const Case& item, size_t index, const std::string& slug,
                                CheckDetails& details) {
  Data data;
  set_state(data, item);
  set_verdict(data, item.verdict);
  data.set("open", !item.passed);
  data.set("slug", slug);
  data.set("index", std::to_string(index));
  data.set("name", name_of(item.name));
  data.set("title", name_of(item.title));
  data.set("question", optional(text_of(item.question)));
  data.set("meshes", optional(text_of(meshes_label(item))));
  data.set("times", optional(item.times ? times_label(*item.times) : ""));
  data.set("source", optional(name_of(item.source)));
  data.set("sentence", text_of(item.sentence));
  const size_t failed = item.checks_failed();
  data.set("failing", optional(failed == 0 ? "" : count(failed, "check") + " failed"));
  Data tags = list(), notes = list();
  std::string words = item.name + " " + item.title;
  for (const std::string& tag : item.tags) {
    tags.push_back(Data{"tag", name_of(tag)});
    words += " " + tag;
  }
  for (const std::string& note : item.notes)
    notes.push_back(Data{"note", text_of(note)});
  data.set("words", one_line(words));
  data.set("tags", tags);
  data.set("notes", notes);
  data.set("power", optional(text_of(item.power ? item.power->sentence : "")));
  data.set("has_notes", !item.notes.empty());
  data.set("failures", failures(item));
  data.set("has_curves", !item.curves.empty());
  data.set("curves", curves(item));
  data.set("calibration", optional(text_of(calibration_label(item))));
  data.set("has_masks", !item.masks.empty());
  data.set("masks", masks(item));
  check_rows_.set(data, item, slug, details);
  set_differences(data, item);
  data.set("arm_blocks", arm_blocks(item));
  data.set("reproduce", optional(one_line(item.reproduce)));
  return case_template_.render(data);
}

}  // namespace parity::reports
