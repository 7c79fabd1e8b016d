// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/html/check_rows.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "reports/html/operator_errors.hpp"
#include "reports/html/templates.hpp"
#include "reports/model/checks/evidence.hpp"
#include "reports/model/checks/finding_rows.hpp"
#include "reports/model/checks/groups.hpp"
#include "reports/model/checks/label.hpp"
#include "reports/model/curves/shown.hpp"
#include "reports/model/tensor_picture.hpp"

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

Data finding_data(const Check& check) {
  Data rows = list();
  for (const FindingRow& each : finding_rows(check)) {
    Data row = pair("label", each.label, "value", text_of(each.value));
    row.set("is_number", each.is_number);
    rows.push_back(row);
  }
  return rows;
}

std::string tensors_label(const Check& check) {
  const auto same = static_cast<size_t>(std::ranges::count_if(check.tensors, &TensorRow::identical));
  return count(check.tensors.size(), "tensor row") + ", " + std::to_string(same) + " identical";
}

/// Returns the point of an operator's sweep that a finding is about; "" in a case of training.
std::string point_of(const Check& check) {
  return check.finding.where ? check.finding.where->point : "";
}

/// Sets what explains a check of exact twins to a reader who has never heard of them.
void set_proof(Data& data, const Check& check) {
  const bool decided = is_of_exact_twins(check) && check.measured.contains("tensors_differing");
  data.set("has_proof", decided);
  if (!decided)
    return;
  const auto differing = check.measured["tensors_differing"].get<size_t>(),
             all = check.measured["tensors"].get<size_t>();
  data.set("is_same", differing == 0);
  data.set("amount", differing == 0 ? "all " + count(all, "tensor")
                                    : std::to_string(differing) + " of " + count(all, "tensor"));
  data.set("example", !check.finding.more.empty());
}

/// Returns the HTML that is shown when a check is opened.
Data details_data(const Check& check, size_t number) {
  Data data;
  data.set("number", std::to_string(number));
  data.set("finding", finding_data(check));
  set_proof(data, check);
  data.set("has_all_measured", check.measured.size() > 2);
  data.set("all_measured", metric_rows(check, headline_metrics(check, check.measured.size())));
  data.set("has_tensors", !check.tensors.empty());
  data.set("tensors", tensors_label(check));
  data.set("has_picture", check.picture.has_value());
  data.set("picture", check.picture ? text_of(picture_sentence(*check.picture, point_of(check))) : "");
  data.set("strip", check.picture && check.picture->row_starts.size() < 4);
  data.set("has_errors", check.errors.has_value());
  if (check.errors)
    set_operator_errors(data, *check.errors);
  data.set("command", optional(one_line(check.finding.next)));
  data.set("cause", optional(one_line(check.finding.cause)));
  return data;
}

bool has_details(const Check& check) {
  return check.finding.where || check.measured.size() > 2 || check.picture || check.errors ||
         !check.tensors.empty() || !check.finding.next.empty();
}

std::string comma_separated(const std::vector<std::string>& words) {
  std::string result;
  for (const std::string& word : words)
    result += (result.empty() ? "" : ", ") + word;
  return result;
}

/// Returns "Measurements, tensors and command", which names what a click shows.
std::string details_label(const Check& check) {
  std::string label = check.picture ? "Measurements, map of the differences" : "Measurements";
  if (!check.tensors.empty())
    label += ", tensors";
  return label + (check.finding.next.empty() ? "" : " and command");
}

Data check_data(const Check& check, size_t number, const std::string& id) {
  Data data;
  set_state(data, check.passed);
  set_verdict(data, check.outcome());
  data.set("id", id);
  data.set("number", std::to_string(number));
  data.set("quantity", name_of(check.quantity));
  data.set("relation", name_of(relation_label(check)));
  data.set("sides", name_of(sides_label(check)));
  data.set("steps", breakable(check.steps));
  data.set("limits", text_of(limits_label(check, 2)));
  data.set("measured", metric_rows(check, headline_metrics(check, 2)));
  data.set("sentence", text_of(check.sentence));
  data.set("because", optional(text_of(check.because)));
  data.set("compared", optional(text_of(check.coverage.text)));
  data.set("evidence", optional(text_of(evidence_label(check.evidence))));
  data.set("has_details", has_details(check));
  data.set("details_label", details_label(check));
  data.set("open", !check.passed);
  return data;
}

/// Returns what the checks of a group have in common, with all their sides and quantities.
Data group_data(const Case& item, const std::vector<size_t>& numbers) {
  const Check& first = item.checks[numbers.front()];
  std::vector<std::string> quantities, sides, steps;
  const auto add = [](std::vector<std::string>& all, const std::string& one) {
    if (std::ranges::find(all, one) == all.end())
      all.push_back(one);
  };
  for (const size_t number : numbers) {
    add(quantities, item.checks[number].quantity);
    add(sides, sides_label(item.checks[number]));
    add(steps, item.checks[number].steps);
  }
  Data data;
  set_state(data, true);
  set_verdict(data, first.outcome());
  data.set("quantity", name_of(comma_separated(quantities)));
  data.set("relation", name_of(first.relation));
  data.set("sides", name_of(comma_separated(sides)));
  data.set("steps", steps.size() == 1 ? name_of(steps.front()) : "");
  data.set("number", std::to_string(numbers.size()));
  return data;
}

}  // namespace

std::string check_id(const std::string& slug, size_t number) {
  return slug + "-check-" + std::to_string(number + 1);
}

CheckRows::CheckRows()
    : check_template_(parse(templates::check_mustache)),
      group_template_(parse(templates::check_group_mustache)),
      alike_template_(parse(templates::check_alike_mustache)),
      details_template_(parse(templates::details_mustache)) {}

std::string CheckRows::render_check(const Check& check, size_t number, const std::string& slug,
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

std::string CheckRows::render_group(const Case& item, const std::vector<size_t>& numbers,
                                    const std::string& slug, CheckDetails& details) {
  std::string checks;
  for (const size_t number : numbers) {
    const Check& check = item.checks[number];
    if (has_details(check))
      details[number] = details_template_.render(details_data(check, number));
    checks += alike_template_.render(check_data(check, number, check_id(slug, number)));
  }
  Data data = group_data(item, numbers);
  data.set("checks", checks);
  return group_template_.render(data);
}

void CheckRows::set(Data& data, const Case& item, const std::string& slug, CheckDetails& details) {
  std::string pairs, goldens;
  size_t golden = 0, quiet = 0, failed = 0;
  const CheckGroups groups(item.checks);
  for (size_t i = 0; i < item.checks.size(); ++i) {
    const Check& check = item.checks[i];
    const bool is_golden = check.kind == results::CheckKind::golden;
    golden += is_golden ? 1 : 0;
    failed += is_golden && !check.passed ? 1 : 0;
    if (is_quiet(check))
      ++quiet;
    else if (const std::vector<size_t>* group = groups.of(i))
      pairs += group->front() == i ? render_group(item, *group, slug, details) : "";
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

}  // namespace parity::reports
