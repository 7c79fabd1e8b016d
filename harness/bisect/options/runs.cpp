// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/options/runs.hpp"

#include <algorithm>
#include <chrono>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/elapsed.hpp"
#include "harness/base/error.hpp"
#include "harness/bisect/options/trim_runs.hpp"
#include "harness/suite/cases/read/arm_settings.hpp"
#include "harness/suite/plan/identity/content_hash.hpp"

namespace parity::bisect {
namespace {

/// Returns the suffix of a hybrid's run name: "1+4+5", shortened if that is long.
std::string name_of_toggles(const Toggles& on) {
  constexpr size_t longest = 24;
  const std::string whole = fmt::format("{}", fmt::join(on, "+"));
  return whole.size() <= longest ? whole
                                 : fmt::format("{}of{}", on.size(), suite::content_hash(whole).substr(0, 8));
}

bool restarts(const suite::Arm& arm) {
  const auto found = arm.config.find("checkpoint.restart_after");
  return found != arm.config.end() && found->second.value != 0;
}

}  // namespace

OptionRuns::OptionRuns(suite::Case sides, std::vector<OptionToggle> toggles,
                       const suite::RunSettings& options, Progress& progress)
    : sides_(std::move(sides)), toggles_(std::move(toggles)), options_(options), progress_(progress) {
  require(sides_.arms.size() == 2 && sides_.checks.empty(), "two sides, and nothing to check");
  for (const suite::Arm& arm : sides_.arms)
    if (arm.is_command() || restarts(arm))
      can_stop_ = false;
}

Toggles OptionRuns::all() const {
  Toggles all;
  for (size_t i = 0; i < toggles_.size(); ++i)
    all.insert(i);
  return all;
}

suite::Arm OptionRuns::arm_of(const Hybrid& hybrid) const {
  const bool is_bad = hybrid.on.size() == toggles_.size();
  suite::Arm arm = sides_.arms.at(is_bad ? 1 : 0);
  if (!is_bad && !hybrid.on.empty()) {
    arm.name += "~" + name_of_toggles(hybrid.on);
    for (const size_t i : hybrid.on) {
      const OptionToggle& toggle = toggles_.at(i);
      if (toggle.bad)
        set_key(arm, toggle.key, {*toggle.bad, arm.place});
      else
        erase_key(arm, toggle.key);
    }
  }
  if (hybrid.float64) {
    arm.name += "~float64";
    arm.config["dtype"] = {"float64", arm.place};
  }
  if (hybrid.stop_after > 0) {
    arm.name += fmt::format("~to{}", hybrid.stop_after);
    arm.span.stop_after = hybrid.stop_after;
  }
  return arm;
}

void OptionRuns::run(const std::vector<Hybrid>& hybrids, int repeat) {
  suite::Case source = sides_;
  source.arms.clear();
  for (const Hybrid& hybrid : hybrids)
    source.arms.push_back(arm_of(hybrid));
  source.reference = source.arms.front().name;
  suite::RunSettings options = options_;
  if (repeat > 0)
    options.out = repeats_folder(options.out) / std::to_string(repeat);
  const auto begin = std::chrono::steady_clock::now();
  const suite::ArmRuns runs = run_arms(source, options, progress_);
  effort_.seconds += seconds_since(begin);
  std::set<std::string> counted;
  for (size_t i = 0; i < hybrids.size(); ++i) {
    const std::string& name = source.arms[i].name;
    const std::string& id = runs.planned.arm(name).run;
    const suite::RunResult& result = runs.runs.at(id);
    const trace::Trace* trace = runs.evidence.trace(name);
    RunCurves curves = trace ? curves_of(*trace) : RunCurves();
    if (const std::string problem = runs.evidence.problem(id); result.failure) {
      curves.failure_kind = result.failure->kind;
      curves.failure = result.failure->message;
    } else if (!problem.empty() || !trace) {
      curves.failure_kind = results::FailureKind::bad_trace;
      curves.failure = problem;
    }
    if (curves.failure_kind == results::FailureKind::bad_config)
      refused_[{hybrids[i].on, hybrids[i].float64}] = curves;
    known_[hybrids[i]] = std::move(curves);
    if (counted.insert(id).second)
      ++(result.cached ? effort_.cached : effort_.executed);
  }
}

void OptionRuns::fetch(const std::vector<Hybrid>& hybrids) {
  std::map<int, std::set<Hybrid>> fresh;
  for (const Hybrid& hybrid : hybrids)
    if (!known_.contains(hybrid) && !refused_.contains({hybrid.on, hybrid.float64}))
      fresh[hybrid.repeat].insert(hybrid);
  for (const auto& [repeat, wanted] : fresh)
    run({wanted.begin(), wanted.end()}, repeat);
}

int64_t OptionRuns::hybrids() const {
  return std::ranges::count_if(known_, [&](const auto& entry) {
    const Hybrid& hybrid = entry.first;
    return !hybrid.on.empty() && hybrid.on.size() < toggles_.size() && !hybrid.float64 && hybrid.repeat == 0;
  });
}

const RunCurves& OptionRuns::of(const Hybrid& hybrid) {
  Hybrid whole = hybrid;
  whole.stop_after = 0;
  if (const auto found = known_.find(whole); found != known_.end())
    return found->second;
  if (const auto found = refused_.find({hybrid.on, hybrid.float64}); found != refused_.end())
    return found->second;
  fetch({hybrid});
  return known_.at(hybrid);
}

}  // namespace parity::bisect
