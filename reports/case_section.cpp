// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/case_section.hpp"

#include <algorithm>

#include "reports/gap_label.hpp"
#include "reports/page_data.hpp"
#include "reports/templates.hpp"

namespace parity::reports {
namespace {

Data metric_rows(const Check& check, const std::vector<std::string>& names) {
  Data rows = list();
  for (const std::string& name : names) {
    Data row = pair("metric", metric_label(name), "value", brief(check.measured[name]));
    row.set("limit", check.limit.contains(name) ? Data{limit_label(check, name)} : Data{false});
    rows.push_back(row);
  }
  return rows;
}

Data worst_data(const Check& check) {
  const Worst& worst = *check.worst;
  Data data;
  data.set("worst_word", check.passed ? "largest difference" : "worst");
  data.set("place", name_of(place(worst)));
  data.set("has_values", worst.has_values());
  data.set("expected", exact(worst.expected));
  data.set("actual", exact(worst.actual));
  data.set("metric", optional(worst.metric.empty() ? "" : metric_label(worst.metric)));
  data.set("value", brief(worst.value));
  data.set("limit", optional(has_limit(check, worst) ? brief(worst.limit) : ""));
  return data;
}

std::string tensors_label(const Check& check) {
  const auto same = static_cast<size_t>(std::ranges::count_if(check.tensors, &TensorRow::identical));
  return count(check.tensors.size(), "tensor row") + ", " + std::to_string(same) + " identical";
}

/// What is shown when a check is opened.
Data details_data(const Check& check, size_t number) {
  Data data;
  data.set("number", std::to_string(number));
  data.set("worst", check.worst ? worst_data(check) : Data{false});
  data.set("has_all_measured", check.measured.size() > 2);
  data.set("all_measured", metric_rows(check, headline_metrics(check, check.measured.size())));
  data.set("has_tensors", !check.tensors.empty());
  data.set("tensors", tensors_label(check));
  data.set("has_picture", check.picture.has_value());
  data.set("picture", check.picture ? text_of(picture_sentence(*check.picture)) : "");
  data.set("strip", check.picture && check.picture->row_starts.size() < 4);
  data.set("command", optional(one_line(check.command)));
  data.set("cause", optional(one_line(check.cause)));
  return data;
}

bool has_details(const Check& check) {
  return check.worst || check.measured.size() > 2 || check.picture || !check.tensors.empty() ||
         !check.command.empty();
}

/// "Measurements, tensors and command": what a click will show.
std::string details_label(const Check& check) {
  std::string label = check.picture ? "Measurements, map of the differences" : "Measurements";
  if (!check.tensors.empty())
    label += ", tensors";
  return label + (check.command.empty() ? "" : " and command");
}

Data check_data(const Check& check, size_t number, const std::string& id) {
  Data data;
  set_state(data, check.passed);
  set_verdict(data, check.finding());
  data.set("id", id);
  data.set("number", std::to_string(number));
  data.set("quantity", name_of(check.quantity));
  data.set("relation", name_of(relation_label(check)));
  data.set("sides", name_of(sides_label(check)));
  data.set("steps", name_of(check.steps));
  data.set("limits", text_of(limits_label(check)));
  data.set("measured", metric_rows(check, headline_metrics(check, 2)));
  data.set("sentence", text_of(check.sentence));
  data.set("because", optional(text_of(check.because)));
  data.set("compared", optional(text_of(check.compared)));
  data.set("evidence", optional(text_of(evidence_label(check.evidence))));
  data.set("has_details", has_details(check));
  data.set("details_label", details_label(check));
  data.set("open", !check.passed);
  return data;
}

std::string arm_facts(const Arm& arm, const std::string& reference) {
  std::string facts = arm.name == reference ? "reference, " : "";
  facts += count(static_cast<size_t>(std::max<int64_t>(arm.steps, 0)), "step");
  facts += ", " + count(static_cast<size_t>(std::max<int64_t>(arm.ranks, 0)), "rank");
  if (const std::string mesh = mesh_label(arm); !mesh.empty())
    facts += " (" + name_of(mesh) + ")";
  facts += arm.cached ? ", from the cache" : ", " + duration(arm.seconds);
  if (arm.tokens_per_second)
    facts += ", " + brief(*arm.tokens_per_second) + " tokens/s";
  if (!arm.complete)
    facts += arm.skipped ? ", could not run here" : ", did not finish";
  return facts;
}

Data failures(const Case& item) {
  Data rows = list();
  for (const Arm& arm : item.arms) {
    if (!arm.failed())
      continue;
    Data row = pair("arm", name_of(arm.name), "kind", name_of(arm.failure_kind));
    row.set("message", text_of(arm.failure));
    row.set("has_tail", !arm.stderr_tail.empty());
    const std::string tail = visible(arm.stderr_tail);
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
  for (const Curve* curve : shown_curves(item)) {
    Data row = pair("number", std::to_string(number++), "label", curve_label(curve->channel));
    std::string arms, gaps;
    for (const Series& series : curve->series)
      arms += (arms.empty() ? "" : ", ") + name_of(series.arm);
    Data gap_list = list();
    for (const std::string& gap : gap_labels(*curve)) {
      gaps += (gaps.empty() ? "" : "; ") + name_of(gap);
      gap_list.push_back(Data{"gap", name_of(gap)});
    }
    row.set("arms", arms);
    row.set("gaps", gaps);
    row.set("gap_list", gap_list);
    row.set("first", curve->steps.empty() ? "none" : std::to_string(curve->steps.front()));
    row.set("last", curve->steps.empty() ? "none" : std::to_string(curve->steps.back()));
    row.set("no_gap", curve->gap.empty());
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
    row.set("key", name_of(difference.key));
    row.set("values", values);
    rows.push_back(row);
  }
  data.set("differences", rows);
}

}  // namespace

std::string check_id(const std::string& slug, size_t number) {
  return slug + "-check-" + std::to_string(number + 1);
}

CaseSection::CaseSection()
    : case_template_(parse(templates::case_mustache)),
      check_template_(parse(templates::check_mustache)),
      details_template_(parse(templates::details_mustache)),
      arm_template_(parse(templates::arm_mustache)) {}

std::string CaseSection::render_check(const Check& check, size_t number, const std::string& slug,
                                      CheckDetails& details) {
  Data data = check_data(check, number, check_id(slug, number));
  if (has_details(check)) {
    std::string inner = details_template_.render(details_data(check, number));
    if (check.passed)
      details[number] = std::move(inner);
    else
      data.set("details", inner);
  }
  return check_template_.render(data);
}

void CaseSection::set_checks(Data& data, const Case& item, const std::string& slug, CheckDetails& details) {
  std::string pairs, goldens;
  size_t golden = 0, quiet = 0, failed = 0;
  for (size_t i = 0; i < item.checks.size(); ++i) {
    const Check& check = item.checks[i];
    const bool is_golden = check.kind == "golden";
    golden += is_golden ? 1 : 0;
    failed += is_golden && !check.passed ? 1 : 0;
    if (is_quiet(check))
      ++quiet;
    else
      (is_golden ? goldens : pairs) += render_check(check, i, slug, details);
  }
  data.set("has_checks", !pairs.empty());
  data.set("checks", pairs);
  data.set("has_golden", golden > 0);
  data.set("has_golden_checks", !goldens.empty());
  data.set("golden_checks", goldens);
  data.set("golden_state", failed > 0 ? "fail" : "pass");
  data.set("golden_mark", failed > 0 ? "✗" : "✓");
  data.set("golden_counts", failed > 0 ? count(failed, "check") + " of " + std::to_string(golden) + " failed"
                            : golden == 1 ? "the check holds"
                                          : "all " + std::to_string(golden) + " checks hold");
  data.set("has_quiet", quiet > 0);
  data.set("quiet", count(quiet, "stored quantity", "stored quantities"));
}

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
  data.set("slug", slug);
  data.set("index", std::to_string(index));
  data.set("name", name_of(item.name));
  data.set("title", name_of(item.title));
  data.set("question", optional(text_of(item.question)));
  data.set("meshes", optional(text_of(meshes_label(item))));
  data.set("times", optional(item.times.label()));
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
  data.set("power", optional(text_of(item.power)));
  data.set("has_notes", !item.notes.empty());
  data.set("failures", failures(item));
  data.set("has_curves", !item.curves.empty());
  data.set("curves", curves(item));
  data.set("calibration", optional(text_of(calibration_label(item))));
  data.set("has_masks", !item.masks.empty());
  data.set("masks", masks(item));
  set_checks(data, item, slug, details);
  set_differences(data, item);
  data.set("arm_blocks", arm_blocks(item));
  data.set("reproduce", optional(one_line(item.reproduce)));
  return case_template_.render(data);
}

}  // namespace parity::reports
