// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/text/glob.hpp"
#include "harness/compare/bounds/bound.hpp"
#include "harness/compare/checks/settle.hpp"
#include "harness/compare/sides/asked.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/golden/golden_file.hpp"

namespace parity::golden {
namespace {

/// An arm and what is stored of it.
struct Stored {
  const compare::Check& check;
  const GoldenArm& golden;
  std::vector<compare::Side> run;  ///< one side, whose floors count
  compare::BoundWords words;
  std::vector<trace::SketchRow> rows;  ///< rows of the run at the steps of the golden's tensors

  const compare::Side& side() const { return run.front(); }
  bool asks_for(const trace::TensorKey& key) const {
    return key.phase == check.phase && glob_match(check.tensor, key.name);
  }
};

std::vector<std::string> channels_of_golden(const Stored& stored) {
  std::set<std::string> names;
  for (const auto& [name, channel] : stored.golden.run.channels)
    names.insert(name);
  for (const auto& [name, channel] : stored.side().trace->channels())
    if (channel.kind == trace::ChannelKind::numeric)
      names.insert(name);
  std::vector<std::string> matched;
  for (const std::string& pattern : stored.check.channels) {
    const size_t before = matched.size();
    for (const std::string& name : names)
      if (pattern == name || glob_match(pattern, name))
        matched.push_back(name);
    if (matched.size() == before)
      throw compare::MissingEvidence(
          fmt::format("neither {} nor its golden has a channel '{}'", stored.side().name, pattern));
  }
  return matched;
}

std::vector<compare::BoundedGap> measure_channels(const Stored& stored) {
  const trace::Trace& trace = *stored.side().trace;
  const GoldenChannels& golden = stored.golden.run;
  if (trace.steps() != golden.steps)
    throw compare::MissingEvidence(fmt::format("{} has {}, but the golden has {}; record the golden again",
                                               stored.side().name, compare::steps_text(trace.steps()),
                                               compare::steps_text(golden.steps)));
  std::vector<compare::BoundedGap> gaps;
  for (const std::string& name : channels_of_golden(stored)) {
    const auto old = golden.channels.find(name);
    const auto now = trace.channels().find(name);
    if (old == golden.channels.end() || now == trace.channels().end())
      throw compare::MissingEvidence(fmt::format(
          "{} of {} is {}; record the golden again if that is intended", name, stored.side().name,
          now == trace.channels().end() ? "in the golden but not in the run" : "not in the golden"));
    gaps.push_back(bounded_series(name, compare::series_of(old->second, golden.steps, golden.steps),
                                  compare::series_of(now->second, trace.steps(), trace.steps()), stored.run,
                                  stored.words));
  }
  return gaps;
}

std::vector<compare::BoundedGap> measure_tensors(const Stored& stored) {
  std::map<std::string, compare::BoundedGap> gaps;
  std::set<trace::TensorKey> known;
  for (const trace::SketchRow& row : stored.golden.sketches) {
    if (!stored.asks_for(row.key))
      continue;
    known.insert(row.key);
    const auto found = std::ranges::find(stored.rows, row.key, &trace::SketchRow::key);
    if (found == stored.rows.end())
      throw compare::MissingEvidence(fmt::format("{} {} at step {} is in the golden but {} did not record it",
                                                 name_of(row.key.phase), row.key.name, row.key.step,
                                                 stored.side().name));
    compare::BoundedGap& gap = gaps[row.key.name];
    gap.quantity = fmt::format("{} {}", name_of(row.key.phase), row.key.name);
    add_bounded_tensor(gap, {row.key, &row, nullptr}, {row.key, &*found, nullptr}, stored.run, stored.words);
  }
  for (const trace::SketchRow& row : stored.rows)
    if (stored.asks_for(row.key) && !known.contains(row.key))
      throw compare::MissingEvidence(
          fmt::format("{} {} at step {} of {} is not in the golden; record the golden again "
                      "if that is intended",
                      name_of(row.key.phase), row.key.name, row.key.step, stored.side().name));
  if (gaps.empty())
    throw compare::MissingEvidence(
        fmt::format("the golden has no {} of '{}' (it keeps gradients and parameters of the "
                    "first and the last update)",
                    name_of(stored.check.phase), stored.check.tensor));
  std::vector<compare::BoundedGap> all;
  for (auto& [name, gap] : gaps)
    all.push_back(std::move(gap));
  return all;
}

/// Returns what a check against the golden asks of both sides: all that the golden stores of its quantities.
std::vector<compare::CoveredSide> asked_of_golden(const Stored& stored) {
  compare::CoveredSide golden, run;
  golden.name = stored.words.expected_name;
  run.name = stored.words.actual_name;
  if (stored.check.of_tensors()) {
    for (const trace::SketchRow& row : stored.golden.sketches)
      if (stored.asks_for(row.key))
        golden.asked[compare::quantity_of(row.key)].add(row.key.step);
    for (const trace::SketchRow& row : stored.rows)
      if (stored.asks_for(row.key))
        run.found[compare::quantity_of(row.key)].add(row.key.step);
    golden.found = golden.asked;
  } else {
    const std::vector<int64_t>& steps = stored.golden.run.steps;
    for (const std::string& name : channels_of_golden(stored))
      golden.asked[name] = compare::StepSet(steps);
    golden.found = channels_found(golden.asked, stored.golden.run.channels, steps);
    run.found = channels_found(golden.asked, stored.side().trace->channels(), stored.side().trace->steps());
  }
  run.asked = golden.asked;
  run.ranks_asked = stored.side().ranks;
  run.ranks_found = compare::ranks_of(*stored.side().trace);
  return {golden, run};
}

compare::CheckResult without_evidence(compare::Verdict verdict, const std::string& sentence) {
  compare::CheckResult result;
  result.verdict = verdict;
  result.sentence = sentence;
  return result;
}

}  // namespace

compare::CheckResult judge_against_golden(const compare::Check& check, const StoredGolden& stored,
                                          const compare::ArmEvidence& run) {
  const std::string& name = check.arms.at(0);
  if (!run.ended_well())
    return without_evidence(compare::Verdict::crashed, name + " has nothing to compare with its golden" +
                                                           (run.failure.empty() ? "" : ": " + run.failure));
  if (!stored.golden)
    return without_evidence(compare::Verdict::missing, stored.problem);
  const auto arm = stored.golden->arms.find(name);
  if (arm == stored.golden->arms.end())
    return without_evidence(compare::Verdict::missing,
                            "the golden has no arm '" + name + "'; record it with 'parity golden record'");
  compare::Side side = compare::side_of(name, run);
  side.twin = nullptr;
  try {
    Stored both{check,
                arm->second,
                {side},
                {"the golden", name, ""},
                kept_rows(*run.trace, kept_steps(arm->second.run.steps))};
    const std::vector<compare::BoundedGap> gaps =
        check.of_tensors() ? measure_tensors(both) : measure_channels(both);
    both.words.subject = bounded_subject(check, gaps, "the golden", name);
    compare::CheckResult result = judge_bound(gaps, rule_of(check), both.words);
    result.coverage.kind = check.covers();
    return settle(std::move(result), asked_of_golden(both));
  } catch (const compare::MissingEvidence& problem) {
    return without_evidence(compare::Verdict::missing, problem.what());
  } catch (const UserError& problem) {  // a tensor that cannot be read
    return without_evidence(compare::Verdict::missing, problem.what());
  }
}

}  // namespace parity::golden
