// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "harness/base/process.hpp"
#include "harness/compare/bits.hpp"
#include "harness/compare/wording.hpp"
#include "harness/golden/diff.hpp"
#include "harness/suite/goldens/review.hpp"
#include "harness/suite/results/case_outcome.hpp"
#include "harness/suite/results/curves.hpp"
#include "harness/suite/results/writer.hpp"

namespace parity {
namespace {

constexpr const char* now_name = "working tree";

/// One arm of a golden, in the revision, the working tree or both.
struct ArmPair {
  std::string revision;
  std::string golden;
  std::string arm;
  const GoldenArm* before;
  const GoldenArm* after;
};

Json reviewed_arm(const std::string& name, const GoldenArm& arm) {
  return {{"name", name},
          {"status", "complete"},
          {"steps", arm.run.steps.size()},
          {"config", arm.config},
          {"provenance", {{"fingerprint", arm.fingerprint}}}};
}

std::map<int64_t, double> reviewed_values(const GoldenArm* arm, const std::string& channel) {
  std::map<int64_t, double> values;
  if (!arm || !arm->run.channels.contains(channel))
    return values;
  const std::vector<double> numbers = arm->run.channels.at(channel).as_double();
  for (size_t i = 0; i < std::min(numbers.size(), arm->run.steps.size()); ++i)
    values[arm->run.steps[i]] = numbers[i];
  return values;
}

/// Returns both versions of a channel over the steps of either, and their gap.
Json curve_json(const ArmPair& pair, const std::string& channel) {
  const auto before = reviewed_values(pair.before, channel);
  const auto after = reviewed_values(pair.after, channel);
  std::set<int64_t> steps;
  for (const auto* side : {&before, &after})
    for (const auto& entry : *side)
      steps.insert(entry.first);
  const auto at = [](const auto& values, int64_t step) {
    return values.contains(step) ? json_number(values.at(step)) : Json();
  };
  Json curve = {{"channel", channel}, {"steps", steps}, {"series", Json::object()}, {"gap", Json::object()}};
  for (const int64_t step : steps) {
    if (pair.before)
      curve["series"][pair.revision].push_back(at(before, step));
    if (pair.after)
      curve["series"][now_name].push_back(at(after, step));
    if (pair.before && pair.after)
      curve["gap"][now_name].push_back(before.contains(step) && after.contains(step)
                                           ? json_number(std::abs(after.at(step) - before.at(step)))
                                           : Json());
  }
  return curve;
}

/// Returns the curves of the channels to plot.
Json curves_json(const ArmPair& pair) {
  std::set<std::string> names;
  for (const GoldenArm* side : {pair.before, pair.after})
    if (side)
      for (const auto& [name, channel] : side->run.channels)
        if (name.find("digest") == std::string::npos)
          names.insert(name);
  Json curves = Json::array();
  for (const std::string& name : names)
    curves.push_back(curve_json(pair, name));
  return curves;
}

/// Returns a row for each tensor of the phase that both versions have.
Json tensors_json(const ArmPair& pair, const std::string& phase) {
  Json rows = Json::array();
  for (const SketchRow& old : pair.before->sketches) {
    const auto found = std::find_if(pair.after->sketches.begin(), pair.after->sketches.end(),
                                    [&](const SketchRow& each) { return each.key == old.key; });
    if (name_of(old.key.phase) != phase || found == pair.after->sketches.end())
      continue;
    const TensorGap gap = measure_tensor({old.key, &old, nullptr}, {old.key, &*found, nullptr});
    rows.push_back({{"step", old.key.step},
                    {"phase", phase},
                    {"name", old.key.name},
                    {"identical", gap.identical},
                    {"relative_l2", json_number(gap.relative_l2)}});
  }
  return rows;
}

std::string row_sentence(const ArmPair& pair, const GoldenDifference& row) {
  if (row.kind != GoldenDifference::Kind::changed)
    return fmt::format("{} of {} was {} since {}", row.quantity, pair.arm, row.differs, pair.revision);
  std::string text = fmt::format("{} of {} differs at {}", row.quantity, pair.arm, row.differs);
  if (!row.tensor.empty())
    text += fmt::format(", first {} at step {}", row.tensor, row.first_step.value_or(0));
  else if (row.first_step)
    text += fmt::format(" steps, first at step {}: {} {}, now {}", *row.first_step, pair.revision, row.before,
                        row.after);
  return text;
}

Json reviewed_check(const ArmPair& pair, const GoldenDifference& row, size_t number) {
  Json measured = Json::object();
  if (row.max_ulp)
    measured["max_ulp"] = *row.max_ulp;
  if (row.relative_l2)
    measured["relative_l2"] = json_number(*row.relative_l2);
  Json check = {{"id", fmt::format("{} {}:{}", pair.golden, pair.arm, number)},
                {"kind", "golden"},
                {"quantity", row.quantity},
                {"arms", Json::array()},
                {"against", "golden"},
                {"relation", "identical"},
                {"because", "a golden changes only for a stated reason"},
                {"passed", false},
                {"verdict", "different"},
                {"sentence", row_sentence(pair, row)},
                {"measured", measured},
                {"command", shell_quote({"parity", "golden", "diff", pair.revision, pair.golden})}};
  const auto old = row.first_step ? reviewed_values(pair.before, row.quantity) : std::map<int64_t, double>();
  const auto now = row.first_step ? reviewed_values(pair.after, row.quantity) : std::map<int64_t, double>();
  if (row.first_step && old.contains(*row.first_step) && now.contains(*row.first_step))
    check["worst"] = {{"step", *row.first_step},
                      {"tensor", row.quantity},
                      {"expected", json_number(old.at(*row.first_step))},
                      {"actual", json_number(now.at(*row.first_step))}};
  if (!row.tensor.empty())
    check["tensors"] = tensors_json(pair, row.quantity);
  return check;
}

Json reviewed_config_difference(const ArmPair& pair) {
  Json differences = Json::array();
  if (!pair.before || !pair.after)
    return differences;
  const FlatConfig old = flatten(pair.before->config);
  const FlatConfig now = flatten(pair.after->config);
  std::set<std::string> keys;
  for (const FlatConfig* side : {&old, &now})
    for (const auto& entry : *side)
      keys.insert(entry.first);
  for (const std::string& key : keys) {
    const Json left = old.contains(key) ? old.at(key) : Json();
    const Json right = now.contains(key) ? now.at(key) : Json();
    if (left != right)
      differences.push_back({{"key", key}, {"values", {{pair.revision, left}, {now_name, right}}}});
  }
  return differences;
}

Json case_json(const ArmPair& pair, const std::vector<GoldenDifference>& rows,
               const std::vector<std::string>& notes) {
  Json arms = Json::array();
  if (pair.before)
    arms.push_back(reviewed_arm(pair.revision, *pair.before));
  if (pair.after)
    arms.push_back(reviewed_arm(now_name, *pair.after));
  Json checks = Json::array();
  for (const GoldenDifference& row : rows)
    checks.push_back(reviewed_check(pair, row, checks.size() + 1));
  return {{"name", pair.golden + " " + pair.arm},
          {"title", fmt::format("Golden of {}, arm {}", pair.golden, pair.arm)},
          {"question", "What changed since " + pair.revision + "?"},
          {"passed", rows.empty()},
          {"verdict", rows.empty() ? "identical" : "different"},
          {"sentence", rows.empty()       ? "the values are the same, bit for bit"
                       : rows.size() == 1 ? row_sentence(pair, rows.front())
                                          : fmt::format("{} quantities changed: {}", rows.size(),
                                                        row_sentence(pair, rows.front()))},
          {"notes", notes},
          {"arms", arms},
          {"reference", arms.front().at("name")},
          {"config_difference", reviewed_config_difference(pair)},
          {"curves", curves_json(pair)},
          {"checks", checks},
          {"reproduce", shell_quote({"parity", "golden", "diff", pair.revision, pair.golden})}};
}

std::vector<std::string> reasons(const ReviewedGolden& golden) {
  std::vector<std::string> words;
  for (const GoldenChange& change :
       golden.after ? new_changes(golden.before.value_or(Golden()), *golden.after) : GoldenHistory())
    words.push_back(fmt::format("reason given ({}): {}", change.commit, change.reason));
  return words;
}

/// Returns one case for each changed arm.
std::vector<Json> cases_of(const std::string& revision, const ReviewedGolden& golden) {
  std::vector<Json> cases;
  static const GoldenContent none;
  const GoldenContent& before = golden.before ? golden.before->arms : none;
  const GoldenContent& after = golden.after ? golden.after->arms : none;
  const std::vector<GoldenDifference> rows = golden_differences(before, after);
  std::set<std::string> names;
  for (const GoldenDifference& row : rows)
    names.insert(row.arm);
  for (const std::string& name : names) {
    const auto old = before.find(name);
    const auto now = after.find(name);
    const ArmPair pair{revision, golden.name, name, old == before.end() ? nullptr : &old->second,
                       now == after.end() ? nullptr : &now->second};
    std::vector<GoldenDifference> mine;
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(mine),
                 [&](const GoldenDifference& row) { return row.arm == name; });
    cases.push_back(case_json(pair, mine, reasons(golden)));
  }
  return cases;
}

}  // namespace

void write_review_results(const GoldenReview& review, const Json& producer,
                          const std::vector<std::string>& command, const std::filesystem::path& file) {
  ResultsWriter writer(file);
  std::vector<CaseOutcome> outcomes;
  for (const ReviewedGolden& golden : review.goldens)
    for (const Json& item : cases_of(review.revision, golden)) {
      writer.add(outcomes.size(), item);
      outcomes.push_back(outcome_of(item));
    }
  writer.finish({{"schema", "parity.results/1"},
                 {"producer", producer},
                 {"command", command},
                 {"started", ""},
                 {"seconds", 0},
                 {"environment",
                  {{"before", fmt::format("{} ({})", review.revision, review.commit.substr(0, 12))},
                   {"after", now_name},
                   {"unchanged goldens", review.unchanged}}},
                 {"summary", summary_of(outcomes, {})},
                 {"interrupted", false},
                 {"unfinished", Json::array()}});
}

}  // namespace parity
