// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "harness/base/processes/process.hpp"
#include "harness/compare/relations/bits.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/golden/diff.hpp"
#include "harness/results/schema.hpp"
#include "harness/suite/goldens/review.hpp"
#include "harness/suite/results/case_outcome.hpp"
#include "harness/suite/results/file/writer.hpp"
#include "harness/suite/results/pictures/curves.hpp"

namespace parity::suite {
namespace {

constexpr const char* now_name = "working tree";

/// One arm of a golden, in the revision, the working tree or both.
struct ArmPair {
  std::string revision;
  std::string golden;
  std::string arm;
  const golden::GoldenArm* before;
  const golden::GoldenArm* after;
};

results::Arm reviewed_arm(const std::string& name, const golden::GoldenArm& arm) {
  results::Arm result;
  result.name = name;
  result.steps = static_cast<int64_t>(arm.run.steps.size());
  result.config = arm.config;
  result.provenance = {{"fingerprint", arm.fingerprint}};
  return result;
}

std::map<int64_t, double> reviewed_values(const golden::GoldenArm* arm, const std::string& channel) {
  std::map<int64_t, double> values;
  if (!arm || !arm->run.channels.contains(channel))
    return values;
  const std::vector<double> numbers = arm->run.channels.at(channel).as_double();
  for (size_t i = 0; i < std::min(numbers.size(), arm->run.steps.size()); ++i)
    values[arm->run.steps[i]] = numbers[i];
  return values;
}

/// Returns both versions of a channel over the steps of either, and their gap.
results::Curve reviewed_curve(const ArmPair& pair, const std::string& channel) {
  const auto before = reviewed_values(pair.before, channel);
  const auto after = reviewed_values(pair.after, channel);
  std::set<int64_t> steps;
  for (const auto* side : {&before, &after})
    for (const auto& entry : *side)
      steps.insert(entry.first);
  const auto at = [](const auto& values, int64_t step) {
    return values.contains(step) ? results::Value(values.at(step)) : std::nullopt;
  };
  results::Series old{pair.revision, {}}, now{now_name, {}}, gap{now_name, {}};
  for (const int64_t step : steps) {
    old.values.push_back(at(before, step));
    now.values.push_back(at(after, step));
    gap.values.push_back(before.contains(step) && after.contains(step)
                             ? results::Value(std::abs(after.at(step) - before.at(step)))
                             : std::nullopt);
  }
  results::Curve curve{.channel = channel, .steps = {steps.begin(), steps.end()}};
  if (pair.before)
    curve.series.push_back(std::move(old));
  if (pair.after)
    curve.series.push_back(std::move(now));
  if (pair.before && pair.after)
    curve.gap.push_back(std::move(gap));
  return curve;
}

/// Returns the curves of the channels to plot.
std::vector<results::Curve> reviewed_curves(const ArmPair& pair) {
  std::set<std::string> names;
  for (const golden::GoldenArm* side : {pair.before, pair.after})
    if (side)
      for (const auto& [name, channel] : side->run.channels)
        if (name.find("digest") == std::string::npos)
          names.insert(name);
  std::vector<results::Curve> curves;
  for (const std::string& name : names)
    curves.push_back(reviewed_curve(pair, name));
  return curves;
}

/// Returns a row for each tensor of the phase that both versions have.
std::vector<results::TensorRow> reviewed_tensors(const ArmPair& pair, const std::string& phase) {
  std::vector<results::TensorRow> rows;
  for (const trace::SketchRow& old : pair.before->sketches) {
    const auto found = std::find_if(pair.after->sketches.begin(), pair.after->sketches.end(),
                                    [&](const trace::SketchRow& each) { return each.key == old.key; });
    if (name_of(old.key.phase) != phase || found == pair.after->sketches.end())
      continue;
    const compare::TensorGap gap =
        compare::measure_tensor({old.key, &old, nullptr}, {old.key, &*found, nullptr});
    rows.push_back(
        {old.key.step, phase, old.key.name, gap.identical, {{"relative_l2", json_number(gap.relative_l2)}}});
  }
  return rows;
}

std::string row_sentence(const ArmPair& pair, const golden::GoldenDifference& row) {
  if (row.kind != golden::GoldenDifference::Kind::changed)
    return fmt::format("{} of {} was {} since {}", row.quantity, pair.arm, row.differs, pair.revision);
  std::string text = fmt::format("{} of {} differs at {}", row.quantity, pair.arm, row.differs);
  const std::string where =
      row.point.empty() ? fmt::format("step {}", row.first_step.value_or(0)) : row.point;
  if (!row.tensor.empty())
    text += fmt::format(", first {} at {}", row.tensor, where);
  else if (row.first_step)
    text += fmt::format(" {}, first at {}: {} {}, now {}", row.point.empty() ? "steps" : "points", where,
                        pair.revision, row.before, row.after);
  return text;
}

results::Check reviewed_check(const ArmPair& pair, const golden::GoldenDifference& row, size_t number) {
  results::Check check = golden_finding(fmt::format("{} {}:{}", pair.golden, pair.arm, number), row.quantity,
                                        compare::Verdict::different, row_sentence(pair, row));
  check.because = "a golden changes only for a stated reason";
  if (row.max_ulp)
    check.measured["max_ulp"] = *row.max_ulp;
  if (row.relative_l2)
    check.measured["relative_l2"] = json_number(*row.relative_l2);
  check.finding.distance = results::distance_of(check.measured);
  check.finding.next = shell_quote({"parity", "golden", "diff", pair.revision, pair.golden});
  const auto old = row.first_step ? reviewed_values(pair.before, row.quantity) : std::map<int64_t, double>();
  const auto now = row.first_step ? reviewed_values(pair.after, row.quantity) : std::map<int64_t, double>();
  if (row.first_step && old.contains(*row.first_step) && now.contains(*row.first_step)) {
    check.finding.where = results::Place{*row.first_step, row.quantity, {}, {}};
    check.finding.expected = json_number(old.at(*row.first_step));
    check.finding.actual = json_number(now.at(*row.first_step));
  }
  if (!row.tensor.empty())
    check.tensors = reviewed_tensors(pair, row.quantity);
  return check;
}

std::vector<results::ConfigDifference> reviewed_config_difference(const ArmPair& pair) {
  std::vector<results::ConfigDifference> differences;
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
      differences.push_back({key, {{pair.revision, left}, {now_name, right}}});
  }
  return differences;
}

results::Case reviewed_case(const ArmPair& pair, const std::vector<golden::GoldenDifference>& rows,
                            const std::vector<std::string>& notes) {
  results::Case item;
  item.name = pair.golden + " " + pair.arm;
  item.title = fmt::format("Golden of {}, arm {}", pair.golden, pair.arm);
  item.question = "What changed since " + pair.revision + "?";
  if (pair.before)
    item.arms.push_back(reviewed_arm(pair.revision, *pair.before));
  if (pair.after)
    item.arms.push_back(reviewed_arm(now_name, *pair.after));
  for (const golden::GoldenDifference& row : rows)
    item.checks.push_back(reviewed_check(pair, row, item.checks.size() + 1));
  item.passed = rows.empty();
  item.verdict = name_of(rows.empty() ? compare::Verdict::identical : compare::Verdict::different);
  item.sentence = rows.empty()       ? "the values are the same, bit for bit"
                  : rows.size() == 1 ? row_sentence(pair, rows.front())
                                     : fmt::format("{} quantities changed: {}", rows.size(),
                                                   row_sentence(pair, rows.front()));
  item.notes = notes;
  item.reference = item.arms.front().name;
  item.config_difference = reviewed_config_difference(pair);
  item.curves = reviewed_curves(pair);
  item.reproduce = shell_quote({"parity", "golden", "diff", pair.revision, pair.golden});
  return item;
}

std::vector<std::string> reasons(const ReviewedGolden& golden) {
  std::vector<std::string> words;
  for (const golden::GoldenChange& change :
       golden.after ? new_changes(golden.before.value_or(golden::Golden()), *golden.after)
                    : golden::GoldenHistory())
    words.push_back(fmt::format("reason given ({}): {}", change.commit, change.reason));
  return words;
}

/// Returns one case for each changed arm.
std::vector<results::Case> cases_of(const std::string& revision, const ReviewedGolden& golden) {
  std::vector<results::Case> cases;
  static const golden::GoldenContent none;
  const golden::GoldenContent& before = golden.before ? golden.before->arms : none;
  const golden::GoldenContent& after = golden.after ? golden.after->arms : none;
  const std::vector<golden::GoldenDifference> rows = golden_differences(before, after);
  std::set<std::string> names;
  for (const golden::GoldenDifference& row : rows)
    names.insert(row.arm);
  for (const std::string& name : names) {
    const auto old = before.find(name);
    const auto now = after.find(name);
    const ArmPair pair{revision, golden.name, name, old == before.end() ? nullptr : &old->second,
                       now == after.end() ? nullptr : &now->second};
    std::vector<golden::GoldenDifference> mine;
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(mine),
                 [&](const golden::GoldenDifference& row) { return row.arm == name; });
    cases.push_back(reviewed_case(pair, mine, reasons(golden)));
  }
  return cases;
}

}  // namespace

void write_review_results(const GoldenReview& review, const Json& producer,
                          const std::vector<std::string>& command, const std::filesystem::path& file) {
  ResultsWriter writer(file);
  std::vector<CaseOutcome> outcomes;
  for (const ReviewedGolden& golden : review.goldens)
    for (const results::Case& item : cases_of(review.revision, golden)) {
      writer.add(outcomes.size(), item);
      outcomes.push_back(outcome_of(item));
    }
  writer.finish({{"schema", results::schema},
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

}  // namespace parity::suite
