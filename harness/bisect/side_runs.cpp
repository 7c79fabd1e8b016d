// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/side_runs.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "harness/base/error.hpp"

namespace parity {
namespace {

/// The case with nothing but the two arms: its checks and golden ask for more than is wanted.
Case bare(const Sides& sides) {
  Case source = sides.source;
  source.checks.clear();
  source.check_places.clear();
  source.golden = {};
  source.capture = {};
  std::erase_if(source.arms,
                [&](const Arm& arm) { return arm.name != sides.expected && arm.name != sides.actual; });
  source.reference = sides.expected;
  return source;
}

void require_finished(const ArmRuns& runs, const std::string& arm) {
  const RunResult& result = runs.runs.at(runs.planned.arm(arm).run);
  if (!result.complete())
    throw UserError(
        fmt::format("{} did not finish ({}); a search needs both sides", arm, result.failure->message),
        ExitCode::crashed);
  if (const std::string problem = runs.evidence.problem(runs.planned.arm(arm).run); !problem.empty())
    throw UserError(arm + ": " + problem, ExitCode::crashed);
}

}  // namespace

SideRuns::SideRuns(const Sides& sides, const SuiteOptions& options, Progress& progress)
    : sides_{bare(sides), sides.expected, sides.actual},
      options_(options),
      progress_(progress),
      planned_(plan_arms(sides_.source, options_)) {}

SideTraces SideRuns::run(const std::string& suffix, const Span& span, const Capture& capture) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<ExtraArm> extra;
  for (const std::string& name : {sides_.expected, sides_.actual}) {
    ExtraArm arm = {.of = name, .suffix = suffix, .faults = sides_.source.arm(name).faults};
    arm.span = {span.stop_after, span.checkpoint_every};
    if (span.from != nullptr) {
      const std::string& before = name == sides_.expected ? span.from->expected : span.from->actual;
      arm.span.start_run = span.from->runs.planned.arm(before).run;
      arm.span.start_step = span.start_step;
    }
    arm.capture = capture;
    if (widened_)
      arm.config["dtype"] = "float64";
    extra.push_back(std::move(arm));
  }
  Case source = with_extra_arms(sides_.source, extra);
  std::erase_if(source.arms, [](const Arm& arm) { return arm.stands_for.empty(); });
  source.reference = extra.front().name();
  SideTraces traces = {run_arms(source, options_, progress_), extra.front().name(), extra.back().name()};
  for (const std::string& arm : {traces.expected, traces.actual}) {
    require_finished(traces.runs, arm);
    traces.executed += traces.runs.runs.at(traces.runs.planned.arm(arm).run).cached ? 0 : 1;
  }
  traces.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return traces;
}

std::vector<ConfigDifference> SideRuns::config_differences() const {
  const FlatConfig &a = planned_.arm(sides_.expected).config, &b = planned_.arm(sides_.actual).config;
  std::vector<ConfigDifference> all;
  for (const auto& [key, value] : a) {
    const auto other = b.find(key);
    const Json theirs = other == b.end() ? Json() : other->second;
    if (theirs != value)
      all.push_back({key, value, theirs});
  }
  for (const auto& [key, value] : b)
    if (!a.contains(key))
      all.push_back({key, nullptr, value});
  return all;
}

int64_t SideRuns::steps() const {
  return std::min(integer_of(planned_.arm(sides_.expected).config, "steps", 0),
                  integer_of(planned_.arm(sides_.actual).config, "steps", 0));
}

bool SideRuns::can_widen() const {
  return std::ranges::all_of(sides_.source.arms, [this](const Arm& arm) {
    return !arm.is_command() && arm.float64 && text_of(planned_.arm(arm.name).config, "dtype") == "float32";
  });
}

bool SideRuns::can_start_on_the_way() const {
  return std::ranges::all_of(sides_.source.arms, [this](const Arm& arm) {
    return !arm.is_command() && integer_of(planned_.arm(arm.name).config, "checkpoint.restart_after", 0) == 0;
  });
}

}  // namespace parity
