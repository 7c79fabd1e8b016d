// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "harness/base/json/number.hpp"
#include "harness/checkpoints/comparison.hpp"

namespace parity::checkpoints {
namespace {

Json names_json(const std::vector<Item>& side) {
  Json names = Json::array();
  for (const Item& item : side)
    names.push_back(item.name);
  return names;
}

Json types_json(const std::vector<Item>& side) {
  return side.empty() ? Json() : Json{{"dtype", side.front().type.name}, {"shape", side.front().view.shape}};
}

Json finding_json(const Finding& finding) {
  Json json = {{"expected", names_json(finding.expected)},
               {"actual", names_json(finding.actual)},
               {"verdict", name_of(finding.verdict)},
               {"rule", {{"kind", name_of(finding.kind)}, {"text", finding.rule}, {"cast", finding.cast}}},
               {"proof", !finding.agrees()      ? ""
                         : finding.by_name_only ? "name"
                                                : "bits"},
               {"expected_type", types_json(finding.expected)},
               {"actual_type", types_json(finding.actual)},
               {"note", finding.note}};
  if (!finding.has_gap)
    return json;
  json["count"] = finding.gap.count;
  json["differing"] = finding.gap.differing;
  if (!finding.bits_only) {
    json["max_ulp"] = finding.gap.max_ulp == measure::Difference::no_ulp ? Json() : Json(finding.gap.max_ulp);
    json["relative_l2"] = json_number(finding.gap.relative_l2());
    json["worst"] = {{"place", finding.place()},
                     {"expected", json_number(finding.gap.worst_expected)},
                     {"actual", json_number(finding.gap.worst_actual)}};
  }
  return json;
}

}  // namespace

Json CheckpointDifference::to_json() const {
  Json json = {{"schema", "parity.checkpoints/1"},
               {"identical", exit_code() == ExitCode::agree && count(Verdict::identical) == findings.size() &&
                                 policy.strict()},
               {"agrees", exit_code() == ExitCode::agree},
               {"conclusion", conclusion()},
               {"tensors", Json::array()},
               {"rules", Json::array()},
               {"notes", notes}};
  for (const Finding& finding : findings)
    json["tensors"].push_back(finding_json(finding));
  for (const RuleSummary& rule : rules())
    json["rules"].push_back({{"expected", rule.expected},
                             {"actual", rule.actual},
                             {"rule", rule.rule},
                             {"cast", rule.cast},
                             {"verdict", name_of(rule.verdict)},
                             {"proof", rule.by_name_only ? "name" : "bits"},
                             {"tensors", rule.tensors}});
  if (steps.counters > 0)
    json["steps"] = {{"counters", steps.counters}, {"least", steps.least}, {"most", steps.most}};
  return json;
}

}  // namespace parity::checkpoints
